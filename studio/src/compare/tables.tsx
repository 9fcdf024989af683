/** What a comparison says, table by table. */

import type { Comparisons } from "../types";
import { count, number, percent, signed } from "../numbers";

const ROWS = 8;

export function Losses({ found, left, right }: { found: Comparisons; left: string; right: string }) {
  return (
    <>
      <h4>How much each loses under the other's question</h4>
      <table>
        <tbody>
          <tr><th scope="row">{left}, judged by {right}</th><td class="figure">{number(found.loss.left_under_right, 3)}</td></tr>
          <tr><th scope="row">{right}, judged by {left}</th><td class="figure">{number(found.loss.right_under_left, 3)}</td></tr>
        </tbody>
      </table>
      <p class="help">Value at the starts that is given up by acting for the wrong question.</p>
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
              <td>{change.from}</td><td>{change.to}</td>
              <td class="figure">{count(change.states)}</td><td class="figure">{signed(change.gain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
            {group.conditions.map((condition) => condition.text).join(" and ") || "anything"}
            {group.mostly && <span class="help">, mostly {group.mostly.from} → {group.mostly.to}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
