/** Two plans side by side. */

import { useSignal } from "@preact/signals";

import { api, mapPicture } from "../api";
import { useFetched } from "../fetched";
import { recolour } from "../questions/planning";
import { differences } from "../questions/words";
import { actsInRows, first, hidden, look, model, otherAction, pins, plan, rectangle, stale, theme, view } from "../store";
import type { Comparisons, PlanSummary } from "../types";
import { Waiting } from "../waiting";
import { number, percent } from "../numbers";
import { Changes, Groups, Losses, Shifts } from "./tables";

interface Candidate {
  id: string;
  label: string;
  summary: PlanSummary;
}

/** The pins, the first plan and the present one; each plan once. */
function candidates(): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const pin of pins.value) found.set(pin.id, { id: pin.id, label: pin.pinned ?? pin.id, summary: pin });
  const opened = first.value;
  if (opened && !found.has(opened.id)) found.set(opened.id, { id: opened.id, label: "the first plan", summary: opened });
  const present = plan.value;
  if (present && !stale.value && !found.has(present.id)) found.set(present.id, { id: present.id, label: "the present plan", summary: present });
  return [...found.values()];
}

export function Compare() {
  const wanted = useSignal<{ left: string | null; right: string | null }>({ left: null, right: null });
  const all = candidates();
  const chosen = (id: string | null, fallback: Candidate | undefined) => all.find((candidate) => candidate.id === id) ?? fallback;
  const right = chosen(wanted.value.right, all.find((candidate) => candidate.id === plan.value?.id) ?? all[all.length - 1]);
  const left = chosen(wanted.value.left, all.find((candidate) => candidate.id !== right?.id));
  if (!left || !right || left.id === right.id) {
    return (
      <div class="compare">
        <h3>Two plans side by side</h3>
        <p class="help">Ask another question and pin it; then both plans can be compared here.</p>
      </div>
    );
  }
  return (
    <div class="compare">
      <h3>Two plans side by side</h3>
      <div class="sides">
        <Side name="Left" plan={left} all={all} onChange={(id) => (wanted.value = { ...wanted.value, left: id })} />
        <Side name="Right" plan={right} all={all} onChange={(id) => (wanted.value = { ...wanted.value, right: id })} />
      </div>
      <Result key={`${left.id} ${right.id}`} left={left} right={right} />
    </div>
  );
}

/** What both small maps are coloured by: the action, or the column that the large map shows. */
function shownAction(): string {
  if (!actsInRows()) return "action";
  return view.value.by.startsWith("action:") ? view.value.by : "action:0";
}

function Side({ name, plan: shown, all, onChange }: {
  name: string; plan: Candidate; all: Candidate[]; onChange: (id: string) => void;
}) {
  const usual = model.value?.question;
  const words = usual ? differences(shown.summary.question, usual) : "";
  const picture = {
    x: view.value.x, y: view.value.y, by: shownAction(), plan: shown.id, width: 320, height: 220, theme: theme.value,
    ...rectangle.value,
  };
  return (
    <div class="side">
      <label class="choice wide">
        <span>{name}</span>
        <select value={shown.id} onChange={(event) => onChange(event.currentTarget.value)}>
          {all.map((candidate) => <option key={candidate.id} value={candidate.id}>{candidate.label}</option>)}
        </select>
      </label>
      <img src={mapPicture(picture)} alt={`Planned actions of ${shown.label} on the map`} />
      <p class="help">{words || "the first question"}</p>
      <p class="start">{number(shown.summary.start_value)}<small> at the starts</small></p>
    </div>
  );
}

function Result({ left, right }: { left: Candidate; right: Candidate }) {
  const answer = useFetched<Comparisons>(() => api.compare(left.id, right.id));
  const present = plan.value?.id;
  const other = left.id === present ? right.id : left.id;
  const show = (by: "changed" | "difference") => {
    hidden.value = new Set();
    look({ by, other });
    void recolour();
  };
  return (
    <Waiting of={answer.value}>
      {(found) => (
        <>
          <p class="verdict">
            The best action differs in <b>{percent(found.changed_share)}</b> of the states
            {actsInRows() && <>, by more than {otherAction()} of the range of a column</>}.
          </p>
          {left.id === present || right.id === present
            ? (
              <p class="shows">
                <button type="button" class="main" onClick={() => show("changed")}>Show where on the map</button>
                <button type="button" onClick={() => show("difference")}>Show the difference in value</button>
              </p>
            )
            : <p class="help">The map shows where, once one of the two is the present plan: click its name under Pinned plans.</p>}
          <Losses found={found} left={left.label} right={right.label} />
          {actsInRows() ? <Shifts found={found} /> : <Changes found={found} />}
          <Groups found={found} />
        </>
      )}
    </Waiting>
  );
}
