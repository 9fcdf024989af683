/** Means with their intervals on one scale. */

import { number, percent } from "../numbers";

export interface Interval {
  name: string;
  mean: number | null;
  interval: [number, number] | null;
  /** Of the interval, as a share of 1. */
  level?: number;
}

/** `zero` marks where there is no difference. */
export function Intervals({ rows, zero = false }: { rows: Interval[]; zero?: boolean }) {
  const ends = rows.flatMap((row) => [row.mean, ...(row.interval ?? [])]).filter((end): end is number => end !== null);
  if (zero) ends.push(0);
  if (ends.length === 0 || rows.every((row) => row.mean === null)) return null;
  const low = Math.min(...ends);
  const range = Math.max(...ends) - low || 1;
  const place = (value: number) => 4 + (92 * (value - low)) / range;
  return (
    <table class="intervals">
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td class="figure">
              {number(row.mean, 3)}
              {row.interval && <small> [{number(row.interval[0], 3)}, {number(row.interval[1], 3)}]{row.level && ` ${percent(row.level)}`}</small>}
            </td>
            <td class="bar-cell">
              <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                {row.interval && (
                  <rect class="reach" x={place(row.interval[0])} width={Math.max(place(row.interval[1]) - place(row.interval[0]), 0.6)} y={4} height={4} />
                )}
                {zero && <rect class="nothing" x={place(0) - 0.3} width={0.6} y={0} height={12} />}
                {row.mean !== null && <rect class="middle" x={place(row.mean) - 0.6} width={1.2} y={0} height={12} />}
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
