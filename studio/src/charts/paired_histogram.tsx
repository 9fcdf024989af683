/** Two histograms over the same numbers: as logged behind, as planned in front. */

import type { DataPage } from "../types";
import { number, shares } from "../numbers";

const HEIGHT = 40;

export function PairedHistogram({ column }: { column: DataPage["action_columns"][number] }) {
  const [logged, planned] = [shares(column.logged), shares(column.planned)];
  const most = Math.max(...logged, ...planned) || 1;
  const width = 100 / Math.max(logged.length, 1);
  const [low, high] = [column.edges[0], column.edges[column.edges.length - 1]];
  const words = `${column.name} as logged and as planned, from ${number(low, 3)} to ${number(high, 3)}`;
  const outline = planned.flatMap((share, index) => {
    const y = HEIGHT - (share / most) * HEIGHT;
    return [`${index * width} ${y}`, `${(index + 1) * width} ${y}`];
  });
  return (
    <figure class="histogram both">
      <figcaption>{column.name}: <span class="one">logged</span>, <span class="two">planned</span></figcaption>
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {logged.map((share, index) => (
          <rect key={index} class="one" x={index * width} width={width} y={HEIGHT - (share / most) * HEIGHT} height={(share / most) * HEIGHT} />
        ))}
        <path class="two" d={`M0 ${HEIGHT}L${outline.join("L")}L100 ${HEIGHT}`} />
      </svg>
      <div class="range"><span>{number(low, 3)}</span><span>{number(high, 3)}</span></div>
    </figure>
  );
}
