/** What a reload keeps: the address holds the question and the view, sessionStorage the rest. */

import { effect } from "@preact/signals";

import { questionToText, textToQuestion, textToView, viewToText } from "./address";
import type { Rectangle } from "./map/view";
import { lasso, model, past, question, rectangle, typed, view } from "./store";
import type { Axis, Model } from "./types";

const KEY = "dac-studio";
/** Writing the address at every move of a slider would be refused by browsers. */
const WRITE_AFTER_MS = 300;

interface Kept {
  digest: string;
  past: typeof past.value;
  rectangle: Rectangle | null;
  axes: string;
  typed: Record<string, number> | null;
  lasso: typeof lasso.value;
}

/** Take over what the address and the session say about this model; `choose` takes the axes. */
export function restore(found: Model): void {
  const text = fragment();
  const wanted = textToView(text, view.value);
  if (wanted.state !== null && wanted.state >= found.states) wanted.state = null;
  question.value = textToQuestion(text, found.question);
  view.value = wanted;
  const kept = read();
  if (!kept || kept.digest !== found.digest) return;
  past.value = kept.past;
  typed.value = kept.typed;
}

/** Choose the axes to begin with, and take over where the session looked on them. */
export function choose(found: Model, available: Axis[], best: string[]): void {
  const ids = new Set(available.map((axis) => axis.id));
  const [x, y] = firstAxes(found, available, best);
  const wanted = view.value;
  view.value = { ...wanted, x: ids.has(wanted.x) ? wanted.x : x, y: ids.has(wanted.y) ? wanted.y : y };
  const kept = read();
  if (kept?.digest === found.digest && kept.axes === `${view.value.x} ${view.value.y}`) {
    rectangle.value = kept.rectangle;
    lasso.value = kept.lasso;
  }
}

/** Keep the address and the session true from now on. */
export function remember(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const present = {
      text: link(),
      kept: {
        digest: model.value?.digest ?? "",
        past: past.value,
        rectangle: rectangle.value,
        axes: `${view.value.x} ${view.value.y}`,
        typed: typed.value,
        lasso: lasso.value,
      } satisfies Kept,
    };
    clearTimeout(timer);
    timer = setTimeout(() => {
      history.replaceState(null, "", present.text);
      try {
        sessionStorage.setItem(KEY, JSON.stringify(present.kept));
      } catch {
        // Storage may be full or forbidden; a reload then keeps the address only.
      }
    }, WRITE_AFTER_MS);
  });
}

/** The address that shows what is shown now, without the token. */
export function link(): string {
  if (!model.value || !question.value) return location.pathname;
  const text = viewToText(view.value, questionToText(question.value, model.value.question));
  return `${location.pathname}#${text}`;
}

export function fragment(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

function read(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

/** The axes to begin with: as the server says, or the first two that are more than flags. */
function firstAxes(found: Model, available: Axis[], best: string[]): [string, string] {
  const flags = new Set(found.columns.flatMap((column, place) => (column.kind === "flag" ? [`c${place}`] : [])));
  const suited = available.filter((axis) => !flags.has(axis.id)).map((axis) => axis.id);
  const wanted = [...new Set([...best, ...suited])].filter((id) => available.some((axis) => axis.id === id));
  const x = wanted[0] ?? available[0]?.id ?? "";
  return [x, wanted[1] ?? available.find((axis) => axis.id !== x)?.id ?? x];
}
