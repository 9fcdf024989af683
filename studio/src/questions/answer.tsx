/** What the plan says, in a strip above the map, and what can be done with the question. */

import { useSignal } from "@preact/signals";

import { actsInRows, first, model, otherAction, past, pins, plan, planned, question, reference, roundTrip, stale } from "../store";
import { duration, number, percent } from "../numbers";
import type { PlanSummary } from "../types";
import { Reproduce } from "./reproduce";
import { differences } from "./words";
import { countAgainst, redo, undo } from "./planning";

/** Episodes that may be cut off before it is said. */
const FEW_CUT = 0.05;

export function Answer() {
  const open = useSignal(false);
  const [answer, asked, known] = [plan.value, question.value, model.value];
  if (!answer || !asked || !known) return null;
  const changed = differences(asked, known.question);
  return (
    <section class="answer" aria-label="Answer">
      <div class="asked">
        <p class="question">{changed ? <>What if: <b>{changed}</b></> : <>The first question, as opened</>}</p>
        <span class="buttons" role="group" aria-label="Question">
          <button type="button" onClick={undo} disabled={past.value.undo.length === 0} title="Ctrl+Z">Undo</button>
          <button type="button" onClick={redo} disabled={past.value.redo.length === 0} title="Ctrl+Shift+Z">Redo</button>
          <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>Link and Python</button>
        </span>
      </div>
      <div
        class={`figures ${stale.value ? "stale" : ""}`} data-round-trip={roundTrip.value ?? ""} aria-live="polite" aria-busy={stale.value}>
        <Figure name="Value at the starts" title={startHelp()} value={number(answer.start_value)} note="promised by the model">
          <span class="figure-note">{cutOff() ? `log, ${percent(known.cut_share)} cut` : "logged there"}: {number(answer.start_logged, 3)}</span>
        </Figure>
        <Figure name="Certified error" value={`± ${number(answer.error, 2)}`} note="of every value" />
        <Figure name="Action changed" title={changedHelp()} value={percent(answer.id === reference.value ? 0 : answer.changed_share)}>
          <Against />
        </Figure>
        <Figure name="Planned in" value={duration(answer.milliseconds)} note={planNote(answer)} />
        <Status />
      </div>
      {answer.warnings.map((warning) => <p class="warning" key={warning}>{warning}</p>)}
      {open.value && <Reproduce onClose={() => (open.value = false)} />}
    </section>
  );
}

/** Whether the log counts fewer steps than the plan. */
function cutOff(): boolean {
  return (model.value?.cut_share ?? 0) > FEW_CUT;
}

function startHelp(): string {
  return cutOff() ? `${percent(model.value!.cut_share)} of the log's episodes were cut off: their rewards count until then, the plan's go on.` : "";
}

/** A plan that was there already came quicker than it was made; compiling kernels is told apart. */
function planNote({ milliseconds, prepared }: PlanSummary): string {
  if (prepared > milliseconds) return `and ${duration(prepared)} for kernels, once`;
  if (roundTrip.value === null) return "by the server";
  return roundTrip.value < milliseconds ? `shown in ${duration(roundTrip.value)}` : `${duration(roundTrip.value)} in all`;
}

function Status() {
  if (stale.value) {
    return (
      <p class="status stale" role="status">
        stale → certified
        <progress class={planned.value === null ? "unknown" : ""} value={planned.value ?? 0} max={1} aria-label="Planning" />
      </p>
    );
  }
  const fine = plan.value?.status === "certified" || plan.value?.status === "converged" || plan.value?.status === "optimal";
  return <p class={`status ${fine ? "certified" : "other"}`} role="status">{fine ? "certified" : "stopped early"}</p>;
}

function Against() {
  return (
    <label class="against">
      <span>vs</span>
      <select
        aria-label="Changes are counted against" value={reference.value ?? ""}
        onChange={(event) => countAgainst(event.currentTarget.value)}
      >
        <option value={first.value?.id ?? ""}>first plan</option>
        {pins.value.filter((pin) => pin.id !== first.value?.id).map((pin) => (
          <option key={pin.id} value={pin.id}>{pin.pinned}</option>
        ))}
      </select>
    </label>
  );
}

/** What counts as another action where they are rows. */
function changedHelp(): string {
  return actsInRows() ? `by more than ${otherAction()} of the range of a column` : "";
}

function Figure({ name, value, note, title, children }: {
  name: string; value: string; note?: string; title?: string; children?: preact.ComponentChildren;
}) {
  return (
    <div class="figure-box" {...(title ? { title } : {})}>
      <span class="figure-name">{name}</span>
      <span class="figure-value">{value}</span>
      {note && <span class="figure-note">{note}</span>}
      {children}
    </div>
  );
}
