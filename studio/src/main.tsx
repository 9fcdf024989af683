/** Opens the model, restores what the address says, and keeps everything in step. */

import { effect } from "@preact/signals";
import { render } from "preact";

import { api, listen } from "./api";
import { same } from "./address";
import { App } from "./app";
import { drawing } from "./map/drawing";
import { enclose } from "./map/map";
import { place } from "./map/positions";
import { recolour, redo, refreshPins, replan, undo } from "./questions/planning";
import { completed, whole } from "./questions/whole";
import { choose, remember, restore } from "./session";
import {
  axes, colouring, failed, finished, first, jobs, lasso, model, notice, panel, pins, plan, planned, question, reference, stale, tab, theme, told, view,
} from "./store";
import type { ServerEvent } from "./types";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import "./styles/map.css";
import "./styles/panels.css";

const NOTICE_MS = 6000;
/** Progress of a plan comes under its id, of other work under a name. */
const PLAN_ID = /^[0-9a-f]{16}$/;
const THEME_KEY = "dac-studio-theme";
const root = document.getElementById("studio")!;

async function open(): Promise<void> {
  render(<App error={null} />, root);
  listen(tab, heard);
  const opening = api.opening();
  opening.catch(() => undefined); // it is waited for below
  const [found, available] = await Promise.all([api.model(), api.axes()]);
  found.question = whole(found.question);
  axes.value = available;
  restore(found);
  model.value = found;
  const opened = await opening.catch((failure: unknown) => {
    if (!plan.value) throw failure;
    failed(failure); // what was asked meanwhile has its answer
    return null;
  });
  first.value = opened && completed(opened.plan);
  reference.value = first.value?.id ?? null;
  choose(found, available, opened?.axes ?? []);
  const waits = [place(), refreshPins()];
  if (!plan.value) {
    await recolour(first.value); // the plan is shown with its map: every frame takes time here
    plan.value ??= first.value;
  }
  if (!same(first.value?.question ?? null, question.value)) replan(false);
  planned.value = null;
  follow();
  await Promise.all(waits);
  if (lasso.value) void enclose(lasso.value.polygon);
}

/** What happens by itself when a choice changes. */
function follow(): void {
  let axesShown = `${view.value.x} ${view.value.y}`;
  effect(() => {
    const wanted = `${view.value.x} ${view.value.y}`;
    if (wanted !== axesShown) void place();
    axesShown = wanted;
  });
  effect(() => {
    const { by, other } = view.value;
    const shown = colouring.peek()?.legend.by;
    if (shown !== undefined && (by !== shown || other !== coloured)) void recolour();
    coloured = other;
  });
  remember();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void refreshPins();
  });
  document.addEventListener("keydown", undoKeys);
}

let coloured: string | null = view.value.other;

function undoKeys(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const typing = target.matches("textarea, input:not([type=range]):not([type=checkbox])");
  if (typing || !(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || (key === "z" && event.shiftKey)) redo();
  else return;
  event.preventDefault();
}

function heard(event: ServerEvent): void {
  if (event.type === "progress" && PLAN_ID.test(event.job)) {
    planned.value = event.total > 0 ? event.done / event.total : null;
  } else if (event.type === "progress") {
    const { type: _type, ...progress } = event;
    const known = jobs.value.find((job) => job.job === event.job);
    const others = jobs.value.filter((job) => job.job !== event.job);
    const done = !event.job.startsWith("job-") && event.done >= event.total;
    jobs.value = done ? others : [...others, { ...progress, since: known?.since ?? performance.now() }];
  } else if (event.type === "job") {
    jobs.value = jobs.value.filter((job) => job.job !== event.job);
    finished.value++;
    if (event.state === "failed") failed(new Error(event.error ?? "The work failed."));
    if (event.state === "done" && panel.value !== "trust") told("The estimate is done: see Trust.");
  } else if (event.type === "findings") {
    if (model.value) model.value = { ...model.value, findings_count: event.count };
  } else {
    pins.value = event.pins.map(completed);
  }
}

function themes(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = localStorage.getItem(THEME_KEY);
  theme.value = kept === "dark" || kept === "light" ? kept : dark.matches ? "dark" : "light";
  let first = true;
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    if (!first) localStorage.setItem(THEME_KEY, theme.value);
    first = false;
  });
}

function notices(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    clearTimeout(timer);
    if (notice.value?.kind === "done") timer = setTimeout(() => (notice.value = null), NOTICE_MS);
  });
}

themes();
notices();
effect(() => {
  document.title = `${stale.value ? "… " : ""}${model.value?.name ?? "studio"} · dac studio`;
});
// Tasks of their own, so that none is long.
setTimeout(() => {
  open().catch((failure: unknown) => {
    render(<App error={failure instanceof Error ? failure.message : String(failure)} />, root);
  });
});
setTimeout(drawing);
