/** Actions that are rows of numbers: how far each column may go, and what its effort costs. */

import { useId } from "preact/hooks";

import { model, plan, question } from "../store";
import { number } from "../numbers";
import type { ActionColumn, Range } from "../types";
import { ask, settle } from "./planning";
import { limitsOf, stepOf, withLimits } from "./ranges";
import { rangeWords } from "./words";

export function LimitFields() {
  const [asked, known] = [question.value, model.value];
  if (!asked || !known) return null;
  const inner = asked.ranges.filter((range) => range.low !== null && range.high !== null);
  return (
    <>
      {known.action_columns.map((column) => <Column key={column.index} column={column} />)}
      {inner.length > 0 && (
        <ul class="ranges">
          {inner.map((range) => <Inner key={rangeWords(range)} range={range} />)}
        </ul>
      )}
    </>
  );
}

/** A range between two ends, which a loaded plan or a link may forbid. */
function Inner({ range }: { range: Range }) {
  const words = `never ${rangeWords(range)}`;
  const remove = () => ask({ ranges: question.value!.ranges.filter((other) => other !== range) });
  return (
    <li>
      {words} <button type="button" class="quiet" aria-label={`Allow again: ${words}`} onClick={remove}>×</button>
    </li>
  );
}

function Column({ column }: { column: ActionColumn }) {
  const id = useId();
  const asked = question.value!;
  const [low, high] = limitsOf(asked.ranges, column);
  const set = (least: number, most: number, moving: boolean) =>
    ask({ ranges: withLimits(asked.ranges, column, least, most) }, moving);
  const planned = plan.value?.action_spreads[column.index];
  const forbidden = asked.ranges.filter((range) => range.column === column.index && (range.low === null || range.high === null));
  const step = stepOf(column);
  /** Neither end passes the other, or the range of the column. */
  const move = (wanted: number, least: boolean, moving: boolean) =>
    least
      ? set(Math.max(Math.min(wanted, high - step), column.low), high, moving)
      : set(low, Math.min(Math.max(wanted, low + step), column.high), moving);
  const typed = (text: string, least: boolean) => {
    const wanted = Number(text);
    if (text.trim() !== "" && Number.isFinite(wanted)) move(wanted, least, false);
  };
  const share = (value: number) => (100 * (value - column.low)) / (column.high - column.low || 1);
  return (
    <div class={`field limits ${forbidden.length ? "changed" : ""}`} role="group" aria-labelledby={id}>
      <div class="field-head">
        <label id={id}>{column.name}</label>
        <span class="ends">
          <input
            type="number" class="exact" step="any" value={low} aria-label={`${column.name}, lower limit`}
            onChange={(event) => typed(event.currentTarget.value, true)}
          />
          <span>to</span>
          <input
            type="number" class="exact" step="any" value={high} aria-label={`${column.name}, upper limit`}
            onChange={(event) => typed(event.currentTarget.value, false)}
          />
        </span>
      </div>
      <div class="two-ended">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" x={0} y={2} width={100} height={2} />
          <rect class="allowed" x={share(low)} y={2} width={Math.max(share(high) - share(low), 0)} height={2} />
        </svg>
        <input
          type="range" min={column.low} max={column.high} step={step} value={low} aria-label={`${column.name}, lower limit, slider`}
          aria-valuetext={number(low, 3)} onInput={(event) => move(Number(event.currentTarget.value), true, true)}
          onChange={() => settle()}
        />
        <input
          type="range" min={column.low} max={column.high} step={step} value={high} aria-label={`${column.name}, upper limit, slider`}
          aria-valuetext={number(high, 3)} onInput={(event) => move(Number(event.currentTarget.value), false, true)}
          onChange={() => settle()}
        />
      </div>
      <p class="reading">
        {forbidden.length ? `never ${forbidden.map(rangeWords).join(", ")}` : "all that the data have"}
      </p>
      {planned && <p class="help">Planned: {number(planned.mean, 3)} on average, mostly {number(planned.low, 3)} to {number(planned.high, 3)}.</p>}
      <Effort column={column} />
    </div>
  );
}

/** What the square of a column costs. */
function Effort({ column }: { column: ActionColumn }) {
  const asked = question.value!;
  const price = (text: string) => {
    const { [String(column.index)]: _before, ...rest } = asked.penalties;
    const amount = Number(text);
    ask({ penalties: Number.isFinite(amount) && amount !== 0 ? { ...rest, [String(column.index)]: amount } : rest });
  };
  return (
    <label class="choice effort">
      <span>Price of effort, per {column.name}²</span>
      <input
        type="number" step="any" class="exact" placeholder="0" aria-label={`Price of effort of ${column.name}`}
        value={asked.penalties[String(column.index)] ?? ""} onChange={(event) => price(event.currentTarget.value)}
      />
    </label>
  );
}
