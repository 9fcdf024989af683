/** Plans to come back to and to compare. */

import { useSignal } from "@preact/signals";

import { look, model, pins, plan, question, reference } from "../store";
import { differences } from "./words";
import { pin, replan, settle, unpin } from "./planning";
import { past } from "../store";
import { asked } from "./history";
import type { Pin } from "../types";

export function Pins() {
  const label = useSignal("");
  const already = pins.value.some((pinned) => pinned.plan === plan.value?.id);
  const suggested = question.value && model.value ? differences(question.value, model.value.question) : "";
  const keep = (event: Event) => {
    event.preventDefault();
    void pin(label.value.trim() || suggested || "first question");
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
        <button type="submit" disabled={already || !plan.value}>Pin this plan</button>
      </form>
      <ul>
        {pins.value.map((pinned) => <Pinned key={pinned.plan} pinned={pinned} />)}
      </ul>
      {pins.value.length === 0 && <p class="help">Pin two plans to compare them.</p>}
      {pins.value.length > 1 && (
        <button type="button" onClick={() => look({ panel: "compare" })}>Compare</button>
      )}
    </section>
  );
}

function Pinned({ pinned }: { pinned: Pin }) {
  const present = pinned.plan === plan.value?.id;
  const open = () => {
    const wanted = pinned.summary?.question;
    if (!wanted || !question.value) return;
    settle();
    past.value = asked(past.value, question.value, wanted);
    question.value = wanted;
    replan(false);
  };
  return (
    <li class={present ? "present" : ""}>
      <button type="button" class="name" onClick={open} title="Ask this question again">{pinned.label}</button>
      <button
        type="button" class="quiet" aria-pressed={reference.value === pinned.plan}
        title="Count changes against this plan" onClick={() => (reference.value = pinned.plan)}
      >
        reference
      </button>
      <button type="button" class="quiet" aria-label={`Remove the pin ${pinned.label}`} onClick={() => void unpin(pinned.plan)}>×</button>
    </li>
  );
}
