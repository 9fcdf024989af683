/**
 * The question and the view as the fragment of the page's address.
 *
 * Only what differs from the model's own question is written, so that links stay short. What
 * does not parse is left as it is by default: a link is never an error.
 */

import type { Question, Range, Reward } from "./types";

/** What the map shows and which panel is open. */
export interface View {
  x: string;
  y: string;
  by: string;
  panel: string;
  state: number | null;
  other: string | null;
}

const NUMBERS = ["gamma", "slip", "worst_case", "support"] as const;
const OPTIONAL = ["cost", "k", "horizon"] as const;
const NONE = "none";

export function questionToText(question: Question, usual: Question): URLSearchParams {
  const text = new URLSearchParams();
  for (const field of NUMBERS) if (question[field] !== usual[field]) text.set(field, String(question[field]));
  for (const field of OPTIONAL) {
    if (question[field] !== usual[field]) text.set(field, question[field] === null ? NONE : String(question[field]));
  }
  if (question.weighting !== usual.weighting) text.set("weighting", question.weighting);
  if (!same(question.forbidden, usual.forbidden)) text.set("forbidden", question.forbidden.join(",") || NONE);
  if (!same(question.ranges, usual.ranges)) text.set("ranges", question.ranges.map(rangeText).join(",") || NONE);
  if (!same(question.penalties, usual.penalties)) {
    const pairs = Object.entries(question.penalties).map(([action, amount]) => `${action}:${amount}`);
    text.set("penalty", pairs.join(",") || NONE);
  }
  if (!same(question.reward, usual.reward)) text.set("reward", JSON.stringify(question.reward));
  return text;
}

export function textToQuestion(text: URLSearchParams, usual: Question): Question {
  const question: Question = structuredClone(usual);
  for (const field of NUMBERS) question[field] = finite(text.get(field)) ?? usual[field];
  for (const field of OPTIONAL) {
    question[field] = text.get(field) === NONE ? null : (finite(text.get(field)) ?? usual[field]);
  }
  const weighting = text.get("weighting");
  if (weighting === "inverse" || weighting === "uniform") question.weighting = weighting;
  const forbidden = text.get("forbidden");
  if (forbidden !== null) question.forbidden = list(forbidden).map(Number).filter(Number.isInteger);
  const ranges = text.get("ranges");
  if (ranges !== null) question.ranges = list(ranges).flatMap(rangeOf);
  const penalty = text.get("penalty");
  if (penalty !== null) question.penalties = penalties(penalty);
  const reward = text.get("reward");
  if (reward !== null) question.reward = reward === "null" ? null : (rewardOf(reward) ?? usual.reward);
  return question;
}

export function viewToText(view: View, text: URLSearchParams): URLSearchParams {
  for (const field of ["x", "y", "by", "panel", "other"] as const) {
    const value = view[field];
    if (value) text.set(field, value);
  }
  if (view.state !== null) text.set("state", String(view.state));
  return text;
}

export function textToView(text: URLSearchParams, usual: View): View {
  const state = finite(text.get("state"));
  return {
    x: text.get("x") ?? usual.x,
    y: text.get("y") ?? usual.y,
    by: text.get("by") ?? usual.by,
    panel: text.get("panel") ?? usual.panel,
    other: text.get("other") ?? usual.other,
    state: state !== null && Number.isInteger(state) && state >= 0 ? state : usual.state,
  };
}

/** Whether two plain values are the same, whatever the order of keys. */
export function same(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)))
      : inner,
  );
}

function finite(text: string | null): number | null {
  if (text === null || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function list(text: string): string[] {
  return text === NONE ? [] : text.split(",").filter((part) => part !== "");
}

function penalties(text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const part of list(text)) {
    const [action, amount] = part.split(":");
    const value = finite(amount ?? null);
    if (action !== undefined && /^\d+$/.test(action) && value !== null) found[action] = value;
  }
  return found;
}

/** "column:low:high", an end that there is not left out. */
function rangeText({ column, low, high }: Range): string {
  return [column, low ?? "", high ?? ""].join(":");
}

function rangeOf(text: string): Range[] {
  const [column = "", low = "", high = "", ...more] = text.split(":");
  const ends = [low, high].map((end) => (end === "" ? null : finite(end)));
  const broken = (low !== "" && ends[0] === null) || (high !== "" && ends[1] === null);
  if (!/^\d+$/.test(column) || broken || more.length > 0 || (low === "" && high === "")) return [];
  return [{ column: Number(column), low: ends[0], high: ends[1] }];
}

function rewardOf(text: string): Reward | null {
  try {
    const reward = JSON.parse(text) as Reward;
    return reward !== null && Array.isArray(reward.terms) ? reward : null;
  } catch {
    return null;
  }
}
