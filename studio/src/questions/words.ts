/** A question in a few words: what differs from another one. */

import { same } from "../address";
import { number, percent, shortened } from "../numbers";
import { actionColumn, actionName, actsInRows } from "../store";
import type { Question, Range, Reward, RewardTerm } from "../types";

/** The longest name of a pin, and the most pins, that the server takes: `plan_routes.py`, `plans.py`. */
const LONGEST_LABEL = 120;
export const MOST_PINS = 12;

/** A name for a pin: what was typed, or what is asked, cut to what the server takes. */
export function pinLabel(typed: string, suggested: string): string {
  return shortened(typed.trim() || suggested || "first question", LONGEST_LABEL);
}

/** "push ≥ 1", "push 0.2 to 0.8". */
export function rangeWords({ column, low, high }: Range): string {
  const name = actionColumn(column);
  if (low === null) return `${name} ≤ ${number(high, 3)}`;
  return high === null ? `${name} ≥ ${number(low, 3)}` : `${name} ${number(low, 3)} to ${number(high, 3)}`;
}

/** "another reward: logged − 10 where lactate > 4, only for high"; of more terms, how many. */
function rewardWords({ keep_logged, terms }: Reward): string {
  const [first] = terms;
  if (!first) return keep_logged ? "logged reward" : "no reward";
  const sign = first.weight < 0 ? "−" : keep_logged ? "+" : "";
  const said = [keep_logged ? "logged" : "", sign, termWords(first)].filter(Boolean).join(" ");
  const more = terms.length - 1;
  return `another reward: ${said}${more ? ` and ${more} more term${more > 1 ? "s" : ""}` : ""}`;
}

/** A term without its sign. */
function termWords({ weight, of, column, when, action }: RewardTerm): string {
  const times = { next: column, state: `${column} before the step`, change: `the change of ${column}`, logged: "the logged reward", constant: "" }[of];
  const amount = number(Math.abs(weight), 3);
  const where = when ? ` where ${when.column} ${when.op} ${number(when.value, 3)}` : "";
  const doing = action === null || action === undefined ? "" : `, only for ${actionName(action)}`;
  return `${times ? `${amount} × ${times}` : amount}${where}${doing}`;
}

/** "gamma 0.9, never left"; empty if nothing differs. */
export function differences(question: Question, usual: Question): string {
  const words: string[] = [];
  if (question.gamma !== usual.gamma) words.push(`gamma ${question.gamma}`);
  if (question.horizon !== usual.horizon) words.push(question.horizon === null ? "no horizon" : `${question.horizon} steps`);
  if (question.slip !== usual.slip) words.push(`slip ${percent(question.slip)}`);
  if (question.worst_case !== usual.worst_case) words.push(`worst case ${percent(question.worst_case)}`);
  if (question.support !== usual.support) words.push(`support ${percent(question.support)}`);
  if (question.k !== usual.k) words.push(question.k === null ? "all neighbours" : `k ${question.k}`);
  if (question.cost !== usual.cost) words.push(question.cost === null ? "automatic cost" : `cost ${number(question.cost, 3)}`);
  if (question.weighting !== usual.weighting) words.push(question.weighting);
  if (!same(question.forbidden, usual.forbidden)) {
    words.push(question.forbidden.length ? `never ${question.forbidden.map(actionName).join(", ")}` : "nothing forbidden");
  }
  if (!same(question.ranges, usual.ranges)) {
    words.push(question.ranges.length ? `never ${question.ranges.map(rangeWords).join(", ")}` : "nothing forbidden");
  }
  if (!same(question.penalties, usual.penalties)) {
    const name = (place: number) => (actsInRows() ? `${actionColumn(place)}²` : actionName(place));
    const prices = Object.entries(question.penalties).map(([place, amount]) => `${name(Number(place))} costs ${number(amount, 3)}`);
    words.push(prices.join(", ") || "no prices");
  }
  if (!same(question.reward, usual.reward)) words.push(question.reward === null ? "logged reward" : rewardWords(question.reward));
  return words.join(", ");
}
