/** How near the data are to a place. What they do not know is said loudly. */

import type { Support } from "../types";
import { number } from "../numbers";

const TITLES: Record<Support["level"], string> = {
  well: "Near the data",
  thin: "Thinly supported",
  none: "Unlike anything in the data",
};

const NOTHING_KNOWN = "The log has no case like this. What follows leans on states far away: do not act on it.";

export function SupportNote({ support }: { support: Support }) {
  const far = support.distance !== null && support.typical_distance !== null;
  return (
    <div class={`support ${support.level}`} role={support.level === "none" ? "alert" : undefined}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {support.level === "well"
          ? <path d="M4 10.5l4 4 8-9" class="tick" />
          : <path d="M10 2l9 16H1zM10 8v5M10 15v1.4" class="triangle" />}
      </svg>
      <div>
        <b>{TITLES[support.level]}</b>
        <p>{support.level === "none" ? NOTHING_KNOWN : support.words}</p>
        {far && <p class="help">Nearest case at distance {number(support.distance, 3)}; usual is {number(support.typical_distance, 3)}.</p>}
      </div>
    </div>
  );
}
