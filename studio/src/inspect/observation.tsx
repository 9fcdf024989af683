/** The numbers of an observation, and how usual each is. */

import type { SeenValue } from "../types";
import { number } from "../numbers";
import { model } from "../store";

const MOST_ROWS = 40;

export function Observation({ observation }: { observation: SeenValue[] }) {
  if (observation.length === 0) return null;
  const flags = new Set(model.value?.columns.filter((column) => column.kind === "flag").map((column) => column.name));
  return (
    <section class="observation">
      <h4>Observation</h4>
      <table>
        <thead><tr><th scope="col">Column</th><th scope="col" class="figure">Value</th><th scope="col">Among the data</th></tr></thead>
        <tbody>
          {observation.slice(0, MOST_ROWS).map((entry) => (
            <tr key={entry.name}>
              <th scope="row">{entry.name}</th>
              <td class="figure">{flags.has(entry.name) ? ((entry.value ?? 0) > 0.5 ? "yes" : "no") : number(entry.value)} {entry.unit ?? ""}</td>
              <td>{!flags.has(entry.name) && <Percentile share={entry.percentile} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {observation.length > MOST_ROWS && <p class="help">and {observation.length - MOST_ROWS} more columns</p>}
    </section>
  );
}

/** Where a value stands among the logged ones, from 0 (the least) to 100 (the most). */
function Percentile({ share }: { share: number | null }) {
  if (share === null) return <span class="help">–</span>;
  const place = share <= 1 ? share * 100 : share;
  return (
    <span class="percentile">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" x={0} y={3} width={100} height={2} />
        <rect class="here" x={Math.min(Math.max(place - 1.5, 0), 97)} y={0} width={3} height={8} />
      </svg>
      <span class="figure">{Math.round(place)} %</span>
    </span>
  );
}
