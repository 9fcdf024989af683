/** A histogram with its range; drawn by hand, read out as a sentence. */

import type { Bins } from "../types";
import { count, onScale } from "../numbers";

const HEIGHT = 40;

export function Histogram({ bins, label }: { bins: Bins; label: string }) {
  const most = Math.max(...bins.counts, 1);
  const total = bins.counts.reduce((sum, amount) => sum + amount, 0);
  const width = 100 / Math.max(bins.counts.length, 1);
  const [low, high] = [bins.edges[0], bins.edges[bins.edges.length - 1]];
  const shown = (value: number) => onScale(value, high - low);
  /** Whole numbers stand between edges: of 2.5 … 4.5, 3 and 4. */
  const between = (from: number, to: number) =>
    bins.whole ? [count(Math.ceil(from)), count(Math.floor(to))] : [shown(from), shown(to)];
  const [least, greatest] = between(low, high);
  const words = `${label}: ${count(total)} values from ${least} to ${greatest}`;
  return (
    <figure class="histogram">
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {bins.counts.map((amount, index) => {
          const height = amount === 0 ? 0 : Math.max((amount / most) * HEIGHT, 0.7);
          return (
            <rect key={index} x={index * width + width * 0.06} width={width * 0.88} y={HEIGHT - height} height={height}>
              <title>{`${[...new Set(between(bins.edges[index], bins.edges[index + 1]))].join(" … ")}: ${count(amount)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="range"><span>{least}</span><span>{greatest}</span></div>
    </figure>
  );
}
