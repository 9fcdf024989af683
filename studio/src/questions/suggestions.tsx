/** Questions to begin with, one click each. */

import { actionName, first, model, plan, question } from "../store";
import { same } from "../address";
import type { Question } from "../types";
import { ask } from "./planning";
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
  const favourite = mostPlanned();
  const found: Suggestion[] = [
    { text: nearer < usual.gamma ? "we only look 10 steps ahead?" : "we look 100 steps ahead?", change: { gamma: nearer } },
    { text: "one action in ten slips?", change: { slip: 0.1 } },
    { text: "cases turn out badly?", change: { worst_case: 0.3 } },
    { text: "we stay close to what was done?", change: { support: 0.3 } },
  ];
  if (favourite !== null) found.splice(1, 0, { text: `“${actionName(favourite)}” is impossible?`, change: { forbidden: [favourite] } });
  return found;
}

/** The action that the first plan takes most, if another one is left. */
function mostPlanned(): number | null {
  const shares = first.value?.action_shares ?? plan.value?.action_shares ?? [];
  if (shares.length < 2) return null;
  return shares.indexOf(Math.max(...shares));
}
