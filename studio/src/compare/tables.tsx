/** What a comparison says, table by table. */

import { actionColumn, actionName } from "../store";
import type { Comparisons, Lost } from "../types";
import { count, number, percent, signed } from "../numbers";

const ROWS = 8;

export function Losses({ found, left, right }: { found: Comparisons; left: string; right: string }) {
  if (!found.loss) return found.note ? <p class="help">{found.note}</p> : null;
  const rows: [string, string, Lost][] = [
    [left, right, found.loss.left_under_right],
    [right, left, found.loss.right_under_left],
  ];
  return (
    <>
      <h4>What it costs to act for the wrong question</h4>
      <table>
        <thead><tr><th scope="col">Acting like</th><th scope="col">when asked</th><th scope="col" class="figure">loses</th></tr></thead>
        <tbody>
          {rows.map(([acting, asked, lost]) => (
            <tr key={acting}>
              <th scope="row">{acting}</th>
              <td>{asked}</td>
              <td class="figure">{number(lost.lost, 3)}<small> ± {number(lost.error, 2)}</small></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="help">
        Of the value at the starts.{" "}
        {rows.some(([, , lost]) => lost.impossible > 0) && "Where an action is forbidden, the best that is left is taken."}
      </p>
    </>
  );
}

export function Changes({ found }: { found: Comparisons }) {
  if (found.changes.length === 0) return null;
  return (
    <>
      <h4>What changes into what</h4>
      <table>
        <thead><tr><th scope="col">Left does</th><th scope="col">Right does</th><th scope="col" class="figure">States</th><th scope="col" class="figure">Gain</th></tr></thead>
        <tbody>
          {found.changes.slice(0, ROWS).map((change) => (
            <tr key={`${change.from} ${change.to}`}>
              <td>{actionName(change.from)}</td><td>{actionName(change.to)}</td>
              <td class="figure">{count(change.states)}</td><td class="figure">{signed(change.gain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="help">
        Gain: how much better the right plan holds its action, on average, under its own question
        {found.changes.slice(0, ROWS).some((change) => change.gain === null) && "; a dash where the left one's is not available there"}.
      </p>
    </>
  );
}

/** Where actions are rows: how each column changes. */
export function Shifts({ found }: { found: Comparisons }) {
  return (
    <>
      <h4>What the right plan does instead</h4>
      <table>
        <thead><tr><th scope="col">Action</th><th scope="col" class="figure">Lower in</th><th scope="col" class="figure">Higher in</th><th scope="col" class="figure">On average</th></tr></thead>
        <tbody>
          {found.shifts.map((shift) => (
            <tr key={shift.index}>
              <th scope="row">{actionColumn(shift.index)}</th>
              <td class="figure">{count(shift.lower)}</td><td class="figure">{count(shift.higher)}</td>
              <td class="figure">{signed(shift.mean)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="help">Numbers of states; the average is over all of them.</p>
    </>
  );
}

export function Groups({ found }: { found: Comparisons }) {
  if (found.groups.length === 0) return null;
  return (
    <>
      <h4>Where most changes</h4>
      <ul class="found-groups">
        {found.groups.slice(0, ROWS).map((group, index) => (
          <li key={index}>
            <b>{percent(group.changed_share)}</b> of {count(group.states)} states where{" "}
            {group.conditions.map((condition) => condition.text).filter(Boolean).join(" and ") || "anything"}
            <span class="help">, {group.mostly}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
