/** What the page knows, as signals: parts of the page that read one are drawn anew when it changes. */

import { computed, signal } from "@preact/signals";

import type { View } from "./address";
import type { Past } from "./questions/history";
import type { Rectangle } from "./map/view";
import type { Point } from "./map/lasso";
import type { Theme } from "./map/palette";
import type { Axis, Future, Legend, Model, PlanSummary, Question } from "./types";

export const PANELS = ["inspect", "compare", "data", "trust", "keep"] as const;
export type Panel = (typeof PANELS)[number];

/** A fresh name for every load of the page: tabs never overtake each other's questions. */
export const tab = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");

export const model = signal<Model | null>(null);
export const axes = signal<Axis[]>([]);
export const question = signal<Question | null>(null);
/** The plan that the model was opened with; null until it is made. */
export const first = signal<PlanSummary | null>(null);
export const past = signal<Past>({ undo: [], redo: [] });

/** The newest certified plan; it answers `question` unless `stale`. */
export const plan = signal<PlanSummary | null>(null);
export const stale = signal(false);
/** Milliseconds from asking to the recoloured map, of the last question. */
export const roundTrip = signal<number | null>(null);
/** The plan that 'changed' refers to. */
export const reference = signal<string | null>(null);
/** Plans that are kept, each with its label in `pinned`. */
export const pins = signal<PlanSummary[]>([]);

export const view = signal<View>({ x: "", y: "", by: "value", panel: "inspect", state: null, other: null });
export const colouring = signal<{ legend: Legend; codes: Uint8Array } | null>(null);
export const hidden = signal<ReadonlySet<number>>(new Set());
export const rectangle = signal<Rectangle | null>(null);

/** States inside the lasso. */
export const lasso = signal<{ polygon: Point[]; x: string; y: string; states: number } | null>(null);
export const typed = signal<Record<string, number> | null>(null);
export const future = signal<Future | null>(null);

export interface Progress {
  job: string;
  label: string;
  done: number;
  total: number;
  since: number;
}

export const jobs = signal<Progress[]>([]);
/** How far the present plan has come, from 0 to 1; null where it is quick. */
export const planned = signal<number | null>(null);
/** How many jobs came to an end: what they found is to be fetched. */
export const finished = signal(0);

export interface Notice {
  text: string;
  kind: "error" | "done";
}
export const notice = signal<Notice | null>(null);
export const theme = signal<Theme>("light");

export const panel = computed<Panel>(() => {
  const wanted = view.value.panel;
  return (PANELS as readonly string[]).includes(wanted) ? (wanted as Panel) : "inspect";
});

/** The plan that a colouring compares with, for those that do. */
export function beside(by: string, other: string | null): string | null {
  return by === "difference" || by === "changed" || by.startsWith("shift:") ? (other ?? reference.value) : null;
}

/** Name of an action by its index. */
export function actionName(index: number): string {
  return model.value?.actions[index]?.name ?? String(index);
}

/** Name of a column of actions that are rows. */
export function actionColumn(index: number): string {
  return model.value?.action_columns[index]?.name ?? String(index);
}

/** Whether actions are rows of numbers instead of one of a few. */
export function actsInRows(): boolean {
  return (model.value?.action_columns.length ?? 0) > 0;
}

/** By how much of a column's range an action has to differ to count as another. */
export function otherAction(): string {
  return `${Math.round(100 * (model.value?.other_action ?? 0))} %`;
}

export function axisLabel(id: string): string {
  return axes.value.find((axis) => axis.id === id)?.label ?? id;
}

export function look(change: Partial<View>): void {
  view.value = { ...view.value, ...change };
}

/** Tell what went wrong, in the server's words. */
export function failed(failure: unknown): void {
  notice.value = { text: failure instanceof Error ? failure.message : String(failure), kind: "error" };
}

export function told(text: string): void {
  notice.value = { text, kind: "done" };
}
