/**
 * Which states are where: a grid of cells over the plane, in typed arrays.
 *
 * `items` lists the states cell by cell, `starts[c]` is where cell c begins. Building is a
 * counting sort, O(N); a nearest state is found in the few cells around a pixel.
 */

import type { Rectangle } from "./view";

export interface Grid {
  columns: number;
  rows: number;
  bounds: Rectangle;
  /** [columns * rows + 1] */
  starts: Uint32Array;
  /** [N], without states that have no place */
  items: Uint32Array;
}

const STATES_PER_CELL = 4;
const MOST_CELLS_A_SIDE = 1024;

export function buildGrid(x: Float32Array, y: Float32Array, bounds: Rectangle): Grid {
  const side = Math.ceil(Math.sqrt(x.length / STATES_PER_CELL));
  const columns = Math.min(Math.max(side, 1), MOST_CELLS_A_SIDE);
  const rows = columns;
  const cells = new Int32Array(x.length);
  const starts = new Uint32Array(columns * rows + 1);
  for (let state = 0; state < x.length; state++) {
    const cell = cellOf(x[state], y[state], columns, rows, bounds);
    cells[state] = cell;
    if (cell >= 0) starts[cell + 1]++;
  }
  for (let cell = 0; cell < columns * rows; cell++) starts[cell + 1] += starts[cell];
  const items = new Uint32Array(starts[columns * rows]);
  const next = starts.slice(0, -1);
  for (let state = 0; state < x.length; state++) {
    const cell = cells[state];
    if (cell >= 0) items[next[cell]++] = state;
  }
  return { columns, rows, bounds, starts, items };
}

function cellOf(x: number, y: number, columns: number, rows: number, bounds: Rectangle): number {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return -1;
  const column = place(x, bounds.left, bounds.right, columns);
  const row = place(y, bounds.bottom, bounds.top, rows);
  return row * columns + column;
}

/** The cell of a number along one side; what is outside belongs to the cell at the border. */
function place(value: number, low: number, high: number, cells: number): number {
  const cell = Math.floor(((value - low) / (high - low)) * cells);
  return Math.min(Math.max(cell, 0), cells - 1);
}

/**
 * The nearest state to (x, y), no farther than `reachX` and `reachY`, which are also the units of
 * distance (a pixel's radius in data units); -1 where there is none. `shown` leaves states out.
 * Of states at one place it is the last, which is drawn over the others.
 */
export function nearest(
  grid: Grid, xs: Float32Array, ys: Float32Array, x: number, y: number, reachX: number, reachY: number,
  shown?: (state: number) => boolean,
): number {
  const { bounds, columns, rows, starts, items } = grid;
  const [firstColumn, lastColumn] = span(x, reachX, bounds.left, bounds.right, columns);
  const [firstRow, lastRow] = span(y, reachY, bounds.bottom, bounds.top, rows);
  let found = -1;
  let least = 1;
  for (let row = firstRow; row <= lastRow; row++) {
    const from = starts[row * columns + firstColumn];
    const to = starts[row * columns + lastColumn + 1];
    for (let entry = from; entry < to; entry++) {
      const state = items[entry];
      const dx = (xs[state] - x) / reachX;
      const dy = (ys[state] - y) / reachY;
      const distance = dx * dx + dy * dy;
      if (distance <= least && (!shown || shown(state))) {
        least = distance;
        found = state;
      }
    }
  }
  return found;
}

/** How many states stand where this one stands. */
export function together(grid: Grid, xs: Float32Array, ys: Float32Array, state: number, shown?: (state: number) => boolean): number {
  const { bounds, columns, rows, starts, items } = grid;
  const cell = cellOf(xs[state], ys[state], columns, rows, bounds);
  let count = 0;
  for (let entry = starts[cell]; entry < starts[cell + 1]; entry++) {
    const other = items[entry];
    if (xs[other] === xs[state] && ys[other] === ys[state] && (!shown || shown(other))) count++;
  }
  return count;
}

function span(value: number, reach: number, low: number, high: number, cells: number): [number, number] {
  return [place(value - reach, low, high, cells), place(value + reach, low, high, cells)];
}
