/** Where the states are: the two chosen axes, fetched once each, and the index over them. */

import { batch, signal } from "@preact/signals";

import { api } from "../api";
import { failed, rectangle, view } from "../store";
import type { Grid } from "./grid";
import { around, type Rectangle } from "./view";
import { IndexWorker } from "./worker";

export interface Positions {
  x: Float32Array;
  y: Float32Array;
  /** All states, with a margin. */
  whole: Rectangle;
  /** Ids of the axes. */
  axes: string;
}

interface Coordinates {
  values: Float32Array;
  low: number;
  high: number;
}

export const positions = signal<Positions | null>(null);
export const grid = signal<Grid | null>(null);
/** Which states are inside the lasso, one byte each. */
export const mask = signal<Uint8Array | null>(null);

const AXES_KEPT = 6;
const fetched = new Map<string, Coordinates>();
export const index = new IndexWorker();

/** Fetch the axes of the present view and index the states; keeps the zoom if the axes stay. */
export async function place(): Promise<void> {
  const { x, y } = view.value;
  const axes = `${x} ${y}`;
  try {
    const [across, up] = await Promise.all([coordinates(x), coordinates(y)]);
    if (`${view.value.x} ${view.value.y}` !== axes) return;
    const whole = around(across, up);
    const first = positions.value === null;
    batch(() => {
      grid.value = null;
      positions.value = { x: across.values, y: up.values, whole, axes };
      if (!first || !rectangle.value) rectangle.value = whole;
    });
    // Both workers get copies; one after the other, the page answers in between.
    await new Promise((resolve) => setTimeout(resolve));
    const built = await index.grid(across.values, up.values, whole);
    if (positions.value?.axes === axes) grid.value = built;
  } catch (failure) {
    failed(failure);
  }
}

async function coordinates(axis: string): Promise<Coordinates> {
  const known = fetched.get(axis);
  if (known) return known;
  const { header, payload } = await api.axis(axis);
  const found = { values: new Float32Array(payload), ...header };
  const oldest = fetched.keys().next().value;
  if (fetched.size >= AXES_KEPT && oldest !== undefined) fetched.delete(oldest);
  fetched.set(axis, found);
  return found;
}
