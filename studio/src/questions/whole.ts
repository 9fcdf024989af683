/** Questions as the server sends them leave out what is usual; here they are made whole. */

import type { PlanSummary, Question } from "../types";

export const PLAIN: Question = {
  gamma: 0.99, cost: null, k: null, weighting: "inverse", slip: 0, worst_case: 0, horizon: null, support: 0,
  forbidden: [], ranges: [], penalties: {}, reward: null,
};

export function whole(question: Partial<Question>): Question {
  const found = { ...structuredClone(PLAIN), ...question };
  found.ranges = found.ranges.map((range) => ({ ...{ low: null, high: null }, ...range }));
  if (!found.reward) return found;
  const terms = found.reward.terms ?? [];
  return {
    ...found,
    reward: {
      keep_logged: found.reward.keep_logged ?? true,
      terms: terms.map((term) => ({ ...{ of: "next" as const, column: "", when: null }, ...term })),
    },
  };
}

export function completed(summary: PlanSummary): PlanSummary {
  return { ...summary, question: whole(summary.question) };
}
