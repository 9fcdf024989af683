/** Comparable cases: what was done in states like this one, and how it ended. */

import { alike } from "./alike";
import { select } from "../map/map";
import type { Case } from "../types";
import { logged, number } from "../numbers";

const ENDINGS: Record<string, string> = { terminated: "ended", truncated: "cut off", open: "left open" };

export function Cases({ cases }: { cases: Case[] }) {
  if (cases.length === 0) return null;
  const together = alike(cases.map((entry) => entry.episode));
  const outcomes = new Set(cases.map((entry) => entry.last_reward)).size > 1;
  const pictures = cases.some((entry) => entry.picture);
  return (
    <section class="cases">
      <h4>Comparable cases</h4>
      <p class="help">Logged states most like this one: what was done there, what was earned from then on under this question, discounted, and how it ended{outcomes && ", with its last logged reward"}.</p>
      {together > 1 && <p class="help">{together} of these {cases.length} cases are of the same episode.</p>}
      {pictures && <Pictures cases={cases} />}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Episode</th><th scope="col">Done</th>
              <th scope="col" class="figure">Distance</th><th scope="col" class="figure">Return</th><th scope="col">Ended</th>
            </tr>
          </thead>
          <tbody>
            {cases.map((entry) => (
              <tr key={entry.state} class={entry.own ? "own" : ""}>
                <td>
                  <button type="button" class="link" onClick={() => select(entry.state)}>{entry.episode}</button>
                  <small class="time">{entry.time === null ? `step ${entry.step}` : logged(entry.time)}</small>
                </td>
                <td>{entry.done}{entry.own && <small> (here)</small>}</td>
                <td class="figure">{number(entry.distance, 2)}</td>
                <td class="figure">{number(entry.return_after, 3)}</td>
                <td>
                  {ENDINGS[entry.ended] ?? entry.ended}
                  {outcomes && <small class="outcome">with {number(entry.last_reward, 3)}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Pictures({ cases }: { cases: Case[] }) {
  return (
    <div class="pictures">
      {cases.filter((entry) => entry.picture).slice(0, 8).map((entry) => (
        <figure key={entry.state}>
          <img src={entry.picture!} alt={`Case of episode ${entry.episode}`} loading="lazy" />
          <figcaption>{entry.done}</figcaption>
        </figure>
      ))}
    </div>
  );
}
