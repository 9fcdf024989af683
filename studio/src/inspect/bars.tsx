/** What each action is worth: a bar, its certified error, and how many cases stand behind it. */

import { useSignal } from "@preact/signals";

import { categoryColour, css } from "../map/palette";
import { actsInRows } from "../store";
import type { ActionValue } from "../types";
import { bounds, number, plural } from "../numbers";

/** Share of the width that the range of values takes; the rest shows that bars do not start at 0. */
const RANGE = 0.8;
/** Room at the right end for the error of the best action. */
const RANGE_ERROR = 0.1;
/** A range of a few errors at least, so that ties look like ties. */
const ERRORS_SHOWN = 8;

/** Candidates that are listed at first. */
const LISTED = 6;

/** `known` is whether the data have anything like the state. */
export function ActionBars({ actions, known }: { actions: ActionValue[]; known: boolean }) {
  const all = useSignal(false);
  const rows = actsInRows();
  const values = actions.filter((action) => action.available && action.q !== null).map((action) => action.q!);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const errors = Math.max(...actions.flatMap((action) => [action.below ?? 0, action.above ?? 0]), 0);
  const range = Math.max(high - low, ERRORS_SHOWN * errors) || 1;
  const place = (value: number) => 100 * (1 - ((high - value) / range) * RANGE - RANGE_ERROR);
  const sorted = [...actions].sort((one, two) => (two.q ?? -Infinity) - (one.q ?? -Infinity));
  const shown = rows && !all.value ? sorted.slice(0, LISTED) : sorted;
  return (
    <>
    <table class="bars">
      <caption>{rows ? `The ${actions.length} logged actions to choose among here` : "Worth of each action here"} (Q and its certified bounds)</caption>
      <thead class="unseen"><tr><th scope="col">Action</th><th scope="col">Value</th><th scope="col">Bar</th></tr></thead>
      <tbody>
        {shown.map((action) => (
          <tr key={action.index} class={action.best ? "best" : action.available ? "" : "unavailable"}>
            <th scope="row">
              {action.name}
              {action.best && <span class="tag">best</span>}
              {action.tie && !action.best && <span class="tag tie">tie</span>}
            </th>
            <td class="figure">{action.available ? <>{number(action.q)}<small> {bounds(action.below, action.above)}</small></> : "–"}</td>
            <td class="bar-cell">
              {action.available && action.q !== null
                ? <Bar share={place(action.q)} low={place(action.q - (action.below ?? 0))} high={place(action.q + (action.above ?? 0))} colour={rows ? null : css(categoryColour(action.index))} />
                : <span class="help">{action.reason ?? "not available"}</span>}
              {action.available && known && (
                <span class="behind">{action.distance === null ? `${plural(action.cases, "case")} nearby` : `taken ${number(action.distance, 2)} away`}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {sorted.length > shown.length && (
      <p><button type="button" class="link" onClick={() => (all.value = true)}>Show {sorted.length - shown.length} more</button></p>
    )}
    </>
  );
}

function Bar({ share, low, high, colour }: { share: number; low: number; high: number; colour: string | null }) {
  const left = Math.max(low, 0);
  const right = Math.min(high, 100);
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect x={0} y={2} width={share} height={6} {...(colour ? { fill: colour } : { class: "plain" })} />
      <rect x={left} y={0} width={Math.max(right - left, 0.4)} height={10} class="whisker" />
    </svg>
  );
}
