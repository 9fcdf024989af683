/** Limits of a column of the actions as forbidden ranges, and back. */

import type { ActionColumn, Range } from "../types";

/** Steps of a slider over a column. */
const STEPS = 100;

export function stepOf(column: ActionColumn): number {
  return column.whole ? 1 : (column.high - column.low) / STEPS || 1;
}

/** How far a column may go: its own ends where no range forbids them. */
export function limitsOf(ranges: Range[], column: ActionColumn): [number, number] {
  const own = ranges.filter((range) => range.column === column.index);
  const low = own.filter((range) => range.low === null).map((range) => range.high!);
  const high = own.filter((range) => range.high === null).map((range) => range.low!);
  return [Math.max(column.low, ...low), Math.min(column.high, ...high)];
}

/** The ranges with other limits of a column; at its own end, nothing is forbidden. */
export function withLimits(ranges: Range[], column: ActionColumn, low: number, high: number): Range[] {
  const rest = ranges.filter((range) => range.column !== column.index || (range.low !== null && range.high !== null));
  const [least, most] = [rounded(low, column), rounded(high, column)];
  if (least > column.low) rest.push({ column: column.index, low: null, high: least });
  if (most < column.high) rest.push({ column: column.index, low: most, high: null });
  return rest.sort((one, two) => one.column - two.column || (one.low ?? -Infinity) - (two.low ?? -Infinity));
}

/** As many digits as tell the steps of the slider apart. */
function rounded(value: number, column: ActionColumn): number {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(stepOf(column))));
  return Number(value.toFixed(Math.min(digits, 12)));
}
