/** What each action is worth: a bar, its certified error, and how many cases stand behind it. */

import { categoryColour, css } from "../map/palette";
import type { ActionValue } from "../types";
import { number, plural } from "../numbers";

/** Share of the width that the range of values takes; the rest shows that bars do not start at 0. */
const RANGE = 0.8;
/** Room at the right end for the error of the best action. */
const RANGE_ERROR = 0.05;
/** A range of a few errors at least, so that ties look like ties. */
const ERRORS_SHOWN = 8;

export function ActionBars({ actions }: { actions: ActionValue[] }) {
  const values = actions.filter((action) => action.available && action.q !== null).map((action) => action.q!);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const errors = Math.max(...actions.map((action) => action.error ?? 0), 0);
  const range = Math.max(high - low, ERRORS_SHOWN * errors) || 1;
  const place = (value: number) => 100 * (1 - ((high - value) / range) * RANGE - RANGE_ERROR);
  const sorted = [...actions].sort((one, two) => (two.q ?? -Infinity) - (one.q ?? -Infinity));
  return (
    <table class="bars">
      <caption>Worth of each action here (Q ± certified error)</caption>
      <thead class="unseen"><tr><th scope="col">Action</th><th scope="col">Value</th><th scope="col">Bar</th></tr></thead>
      <tbody>
        {sorted.map((action) => (
          <tr key={action.index} class={action.best ? "best" : action.available ? "" : "unavailable"}>
            <th scope="row">
              {action.name}
              {action.best && <span class="tag">best</span>}
              {action.tie && !action.best && <span class="tag tie">tie</span>}
            </th>
            <td class="figure">{action.available ? <>{number(action.q)}<small> ± {number(action.error, 2)}</small></> : "–"}</td>
            <td class="bar-cell">
              {action.available && action.q !== null
                ? <Bar share={place(action.q)} error={((action.error ?? 0) / range) * RANGE * 100} index={action.index} />
                : <span class="help">{action.reason ?? "not available"}</span>}
              {action.available && <span class="behind">{plural(action.cases, "case")} nearby</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ share, error, index }: { share: number; error: number; index: number }) {
  const left = Math.max(share - error, 0);
  const right = Math.min(share + error, 100);
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect x={0} y={2} width={share} height={6} fill={css(categoryColour(index))} />
      <rect x={left} y={0} width={Math.max(right - left, 0.4)} height={10} class="whisker" />
    </svg>
  );
}
