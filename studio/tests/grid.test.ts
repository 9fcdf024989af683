import { describe, expect, it } from "vitest";

import { buildGrid, nearest, together } from "../src/map/grid";
import { enclosed, inside, thinned, type Point } from "../src/map/lasso";
import { around } from "../src/map/view";
import { randoms } from "./randoms";

function cloud(states: number, seed: number) {
  const random = randoms(seed);
  const x = Float32Array.from({ length: states }, () => random() * 10 - 5);
  const y = Float32Array.from({ length: states }, () => random() ** 3);
  return { x, y, bounds: around({ low: -5, high: 5 }, { low: 0, high: 1 }) };
}

function nearestByHand(x: Float32Array, y: Float32Array, at: Point, reach: Point): number {
  let [found, least] = [-1, 1];
  for (let state = 0; state < x.length; state++) {
    const distance = ((x[state] - at[0]) / reach[0]) ** 2 + ((y[state] - at[1]) / reach[1]) ** 2;
    if (distance < least || (found < 0 && distance <= 1)) [found, least] = [state, distance];
  }
  return found;
}

describe("the grid", () => {
  it("lists every state once", () => {
    const { x, y, bounds } = cloud(5000, 1);
    const grid = buildGrid(x, y, bounds);
    expect([...grid.items].sort((one, two) => one - two)).toEqual([...x.keys()]);
    expect(grid.starts[grid.starts.length - 1]).toBe(5000);
  });

  it("finds the state that a search of all finds", () => {
    const { x, y, bounds } = cloud(3000, 2);
    const grid = buildGrid(x, y, bounds);
    const random = randoms(3);
    for (let turn = 0; turn < 300; turn++) {
      const at: Point = [random() * 12 - 6, random() * 1.2 - 0.1];
      const reach: Point = [0.3, 0.05];
      const [found, byHand] = [nearest(grid, x, y, ...at, ...reach), nearestByHand(x, y, at, reach)];
      if (byHand < 0) expect(found).toBe(-1);
      else expect(distance(x, y, found, at, reach)).toBeCloseTo(distance(x, y, byHand, at, reach), 10);
    }
  });

  it("finds states outside of its bounds", () => {
    const grid = buildGrid(Float32Array.of(100), Float32Array.of(-7), around({ low: 0, high: 1 }, { low: 0, high: 1 }));
    expect(nearest(grid, Float32Array.of(100), Float32Array.of(-7), 100.1, -7, 1, 1)).toBe(0);
  });

  it("takes the state that is drawn over the others of its place, and counts them", () => {
    const [x, y] = [Float32Array.of(3.3, 1, 3.3, 3.3, 3.4), Float32Array.of(37.7, 37, 37.7, 37.7, 37.7)];
    const grid = buildGrid(x, y, around({ low: 0, high: 5 }, { low: 36, high: 39 }));
    expect(nearest(grid, x, y, 3.31, 37.71, 0.2, 0.2)).toBe(3);
    expect(nearest(grid, x, y, 3.31, 37.71, 0.2, 0.2, (state) => state !== 3)).toBe(2);
    expect(together(grid, x, y, 3)).toBe(3);
    expect(together(grid, x, y, 3, (state) => state !== 0)).toBe(2);
    expect(together(grid, x, y, 4)).toBe(1);
  });

  it("leaves out what has no place and what is hidden", () => {
    const [x, y] = [Float32Array.of(0, NaN, 0.01), Float32Array.of(0, 0, 0)];
    const grid = buildGrid(x, y, around({ low: -1, high: 1 }, { low: -1, high: 1 }));
    expect(grid.items.length).toBe(2);
    expect(nearest(grid, x, y, 0, 0, 1, 1, (state) => state !== 0)).toBe(2);
  });
});

function distance(x: Float32Array, y: Float32Array, state: number, at: Point, reach: Point): number {
  return Math.hypot((x[state] - at[0]) / reach[0], (y[state] - at[1]) / reach[1]);
}

describe("the lasso", () => {
  const arrow: Point[] = [[0, 0], [4, 0], [2, 1], [4, 4], [0, 4]];

  it("knows inside from outside, also where the border bends in", () => {
    expect(inside(arrow, 1, 1)).toBe(true);
    expect(inside(arrow, 3.5, 2)).toBe(false);
    expect(inside(arrow, -1, 2)).toBe(false);
  });

  it("marks the states that it encloses", () => {
    const { x, y } = cloud(4000, 4);
    const border: Point[] = [[-2, 0.1], [3, 0.05], [2, 0.7], [-1, 0.4]];
    const { mask, states } = enclosed(x, y, border);
    const byHand = [...x.keys()].filter((state) => inside(border, x[state], y[state]));
    expect(states).toBe(byHand.length);
    expect([...mask.keys()].filter((state) => mask[state] === 1)).toEqual(byHand);
  });

  it("keeps the shape of a path with fewer points", () => {
    const path = Array.from({ length: 500 }, (_, step): Point => [step * 0.1, 0]);
    const kept = thinned(path, 1);
    expect(kept.length).toBeLessThan(60);
    expect(kept[0]).toEqual([0, 0]);
  });
});
