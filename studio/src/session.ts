/** What a reload keeps: the address holds the question and the view, sessionStorage the rest. */

import { effect } from "@preact/signals";

import { questionToText, textToQuestion, textToView, viewToText, type View } from "./address";
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

/** Take over what the address and the session say about this model. */
export function restore(found: Model, available: Axis[]): void {
  const text = fragment();
  const ids = new Set(available.map((axis) => axis.id));
  const usual: View = { ...view.value, x: available[0]?.id ?? "", y: available[1]?.id ?? available[0]?.id ?? "" };
  const wanted = textToView(text, usual);
  if (!ids.has(wanted.x)) wanted.x = usual.x;
  if (!ids.has(wanted.y)) wanted.y = usual.y;
  if (wanted.state !== null && wanted.state >= found.states) wanted.state = null;
  question.value = textToQuestion(text, found.question);
  view.value = wanted;
  const kept = read();
  if (!kept || kept.digest !== found.digest) return;
  past.value = kept.past;
  typed.value = kept.typed;
  if (kept.axes === `${wanted.x} ${wanted.y}`) {
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

