/** Take away: the plan, the policy, the picture, the report. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

import { api, ServerError } from "../api";
import { pictureQuery } from "../map/picture";
import { otherPlan } from "../map/toolbar";
import { axisLabel, colouring, failed, hidden, model, plan, rectangle, stale, theme, told, view } from "../store";
import { another, TAKEN } from "./names";
import { PICTURE, pictureOf } from "./picture";

const FILES: [string, string, ComponentChildren][] = [
  ["policy", "Policy", <>A small file that decides: <code>dac act</code>, <code>dac serve</code>, <code>da.load</code>.</>],
  ["plan", "Plan", "All values, to load and ask again in Python."],
  ["report", "Report", "One page for people who decide: changes, promise, limits."],
];
/** That a picture is kept for the browser to save it. */
const KEPT_MS = 60_000;

export function Keep() {
  const id = plan.value?.id;
  if (!id) return null;
  const folder = model.value?.output;
  return (
    <div class="keep">
      <h3>Take it with you</h3>
      <p class="help">Files are written {folder ? <>into <code>{folder}</code></> : "into the folder in which the studio was started"}, and never over another.</p>
      {FILES.map(([what, title, help]) => <SaveFile key={what} what={what} title={title} help={help} />)}
      <div class="entry">
        <b>Picture of the map</b>
        <p class="help">The points in view, with axes and legend, {PICTURE.width} × {PICTURE.height}.</p>
        <SavePicture />
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

function SavePicture() {
  const busy = useSignal(false);
  const save = async () => {
    const [legend, shown] = [colouring.value?.legend, rectangle.value];
    if (!legend || !shown) return;
    busy.value = true;
    try {
      download(await pictureOf({
        query: pictureQuery(), shown, across: axisLabel(view.value.x), up: axisLabel(view.value.y), legend,
        title: legend.label.replace("the other plan", otherPlan()), hidden: hidden.value, theme: theme.value,
      }), "studio-map.png");
    } catch (failure) {
      failed(failure);
    } finally {
      busy.value = false;
    }
  };
  return <button type="button" disabled={busy.value} onClick={() => void save()}>{busy.value ? "Drawing …" : "Download PNG"}</button>;
}

function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
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
      if (!(failure instanceof ServerError && failure.status === TAKEN)) return;
      name.value = another(name.value.trim());
      failed(`${failure.message} Proposed: ${name.value}.`);
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
