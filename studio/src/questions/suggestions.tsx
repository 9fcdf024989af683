/** Questions to begin with, one click each. */

import { actionName, actsInRows, first, model, plan, question } from "../store";
import { same } from "../address";
import type { ActionColumn, Question } from "../types";
import { ask } from "./planning";
import { withLimits } from "./ranges";
import { stepsAhead } from "./scales";

interface Suggestion {
  text: string;
  change: Partial<Question>;
}

export function Suggestions() {
  const usual = model.value?.question;
  if (!question.value || !usual) return null;
  const changed = !same(question.value, usual);
  return (
    <div class="suggestions">
      <h3>What if …</h3>
      <div class="chips">
        {suggestions(usual).map(({ text, change }) => {
          const on = Object.entries(change).every(([field, value]) => same(question.value![field as keyof Question], value));
          const back = Object.fromEntries(Object.keys(change).map((field) => [field, usual[field as keyof Question]]));
          return (
            <button key={text} type="button" class="chip" aria-pressed={on} onClick={() => ask(on ? back : change)}>
              {text}
            </button>
          );
        })}
        {changed && <button type="button" class="chip plain" onClick={() => ask(usual)}>Back to the first question</button>}
      </div>
    </div>
  );
}

function suggestions(usual: Question): Suggestion[] {
  const nearer = stepsAhead(usual.gamma) > 15 ? 0.9 : 0.99;
  return [
    { text: nearer < usual.gamma ? "we only look 10 steps ahead?" : "we look 100 steps ahead?", change: { gamma: nearer } },
    ...(actsInRows() ? ofColumns(usual) : ofActions()),
    { text: "cases turn out badly?", change: { worst_case: 0.3 } },
    { text: "we stay close to what was done?", change: { support: 0.3 } },
  ];
}

function ofActions(): Suggestion[] {
  const favourite = mostPlanned();
  const forbid = favourite === null ? [] : [{ text: `“${actionName(favourite)}” is impossible?`, change: { forbidden: [favourite] } }];
  const slip = model.value!.actions.length > 1 ? [{ text: "one action in ten slips?", change: { slip: 0.1 } }] : [];
  return [...forbid, ...slip];
}

/** Half a column's range, and a price on its effort. */
function ofColumns(usual: Question): Suggestion[] {
  const column = model.value!.action_columns[0];
  const middle = (column.low + column.high) / 2;
  const reach = (column.high - column.low) / 4;
  const found: Suggestion[] = [
    { text: `“${column.name}” only reaches half its range?`, change: { ranges: withLimits(usual.ranges, column, middle - reach, middle + reach) } },
  ];
  const price = effortPrice(column);
  if (price > 0) found.push({ text: `“${column.name}” is dear?`, change: { penalties: { [String(column.index)]: price } } });
  return found;
}

/** A tenth of what a step is worth, for a column at its end. */
function effortPrice(column: ActionColumn): number {
  const [opened, end] = [first.value ?? plan.value, Math.max(Math.abs(column.low), Math.abs(column.high))];
  if (!opened || opened.mean_value === null || end === 0) return 0;
  const perStep = Math.abs(opened.mean_value) * (1 - opened.question.gamma);
  return Number((perStep / 10 / end ** 2).toPrecision(1));
}

/** The action that the first plan takes most, if another one is left. */
function mostPlanned(): number | null {
  const shares = first.value?.action_shares ?? plan.value?.action_shares ?? [];
  if (shares.length < 2) return null;
  return shares.indexOf(Math.max(...shares));
}
