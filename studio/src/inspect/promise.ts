/** A plan's promise in a state, beside what comparable cases earned. */

import type { Case } from "../types";
import { number } from "../numbers";

/**
 * A sentence where the plan promises more than any of the cases earned, its certified error counted; otherwise "".
 * Where most cases were cut off, what they would have earned is not known, and nothing is said.
 */
export function beyondCases(q: number | null, below: number | null, cases: Case[]): string {
  const earned = cases.map((entry) => entry.return_after).filter((value): value is number => value !== null);
  const known = cases.filter((entry) => entry.return_known).length;
  if (2 * known <= cases.length) return "";
  const best = Math.max(...earned);
  if (q === null || earned.length === 0 || q - (below ?? 0) <= best) return "";
  const cut = cases.some((entry) => entry.ended !== "terminated") ? "; those cut off, until then" : "";
  return `More than any comparable case earned (best ${number(best, 3)}${cut}).`;
}
