/** Plans to come back to and to compare. */

import { useSignal } from "@preact/signals";

import { look, model, pins, plan, question, reference } from "../store";
import { differences, MOST_PINS, pinLabel } from "./words";
import { countAgainst, pin, replan, settle, unpin } from "./planning";
import { past } from "../store";
import { asked } from "./history";
import type { PlanSummary } from "../types";

export function Pins() {
  const label = useSignal("");
  const already = pins.value.some((pinned) => pinned.id === plan.value?.id);
  const full = pins.value.length >= MOST_PINS;
  const suggested = question.value && model.value ? differences(question.value, model.value.question) : "";
  const keep = (event: Event) => {
    event.preventDefault();
    void pin(pinLabel(label.value, suggested));
    label.value = "";
  };
  return (
    <section class="pins" aria-label="Pinned plans">
      <h3>Pinned plans</h3>
      <form onSubmit={keep}>
        <input
          type="text" aria-label="Name of the pin" placeholder={suggested || "first question"} value={label.value}
          maxLength={80} onInput={(event) => (label.value = event.currentTarget.value)}
        />
        <button type="submit" disabled={already || full || !plan.value}>Pin this plan</button>
      </form>
      <ul>
        {pins.value.map((pinned) => <Pinned key={pinned.id} pinned={pinned} />)}
      </ul>
      {full && <p class="help">{MOST_PINS} plans can be pinned; remove one to pin another.</p>}
      {pins.value.length === 0 && <p class="help">Pin two plans to compare them.</p>}
      {pins.value.length > 1 && (
        <button type="button" onClick={() => look({ panel: "compare" })}>Compare</button>
      )}
    </section>
  );
}

function Pinned({ pinned }: { pinned: PlanSummary }) {
  const present = pinned.id === plan.value?.id;
  const open = () => {
    if (!question.value) return;
    const wanted = pinned.question;
    settle();
    past.value = asked(past.value, question.value, wanted);
    question.value = wanted;
    replan(false);
  };
  return (
    <li class={present ? "present" : ""}>
      <button type="button" class="name" onClick={open} title="Ask this question again">{pinned.pinned}</button>
      <button
        type="button" class="quiet" aria-pressed={reference.value === pinned.id}
        title="Count changes against this plan" onClick={() => countAgainst(pinned.id)}
      >
        reference
      </button>
      <button type="button" class="quiet" aria-label={`Remove the pin ${pinned.pinned}`} onClick={() => void unpin(pinned.id)}>×</button>
    </li>
  );
}
