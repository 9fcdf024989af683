/** Take away: the plan, the policy, the picture, the report. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

import { api, mapPicture } from "../api";
import { beside, failed, model, plan, rectangle, stale, theme, told, view } from "../store";

const FILES: [string, string, ComponentChildren][] = [
  ["policy", "Policy", <>A small file that decides: <code>dac act</code>, <code>dac serve</code>, <code>da.load</code>.</>],
  ["plan", "Plan", "All values, to load and ask again in Python."],
  ["report", "Report", "One page for people who decide: changes, promise, limits."],
];
const PICTURE = { width: 1600, height: 1000 };

export function Keep() {
  const id = plan.value?.id;
  if (!id) return null;
  const other = beside(view.value.by, view.value.other);
  const picture = mapPicture({
    x: view.value.x, y: view.value.y, by: view.value.by, plan: id, theme: theme.value, ...PICTURE, ...rectangle.value,
    ...(other ? { other } : {}),
  });
  const folder = model.value?.output;
  return (
    <div class="keep">
      <h3>Take it with you</h3>
      <p class="help">Files are written {folder ? <>into <code>{folder}</code></> : "into the folder in which the studio was started"}, and never over another.</p>
      {FILES.map(([what, title, help]) => <SaveFile key={what} what={what} title={title} help={help} />)}
      <div class="entry">
        <b>Picture of the map</b>
        <p class="help">As it is shown now, {PICTURE.width} × {PICTURE.height}.</p>
        <a class="button" href={picture} download="studio-map.png">Download PNG</a>
      </div>
      <div class="entry">
        <b>Report, as a download</b>
        <p class="help">The same page, into the folder of your browser.</p>
        <a class="button" href={`api/report?plan=${encodeURIComponent(id)}`} download="report.html">Download HTML</a>
      </div>
      {stale.value && <p class="warning">A newer question is being planned; what is saved is the plan before.</p>}
    </div>
  );
}

function SaveFile({ what, title, help }: { what: string; title: string; help: ComponentChildren }) {
  const name = useSignal(what);
  const busy = useSignal(false);
  const save = async (event: Event) => {
    event.preventDefault();
    const id = plan.value?.id;
    if (!id) return;
    busy.value = true;
    try {
      const saved = await api.export(what, id, name.value.trim());
      told(`Saved ${saved.name}.`);
    } catch (failure) {
      failed(failure);
    } finally {
      busy.value = false;
    }
  };
  return (
    <form class="entry" onSubmit={(event) => void save(event)}>
      <b>{title}</b>
      <p class="help">{help}</p>
      <span class="row">
        <input
          type="text" aria-label={`File name of the ${what}`} value={name.value} required maxLength={100}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <button type="submit" disabled={busy.value}>{busy.value ? "Saving …" : `Save ${what}`}</button>
      </span>
    </form>
  );
}
