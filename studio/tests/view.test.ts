import { describe, expect, it } from "vitest";

import { number } from "../src/numbers";
import { around, centredOn, contains, pan, tickDigits, ticks, toData, toScreen, zoom } from "../src/map/view";

const size = { width: 800, height: 500 };
const whole = around({ low: -2, high: 6 }, { low: 10, high: 30 });

describe("the view", () => {
  it("holds all data with a margin", () => {
    for (const [x, y] of [[-2, 10], [6, 30], [0, 20]] as const) expect(contains(whole, x, y)).toBe(true);
    expect(whole.left).toBeLessThan(-2);
  });

  it("gives a constant column some width", () => {
    const flat = around({ low: 3, high: 3 }, { low: 0, high: 1 });
    expect(flat.right - flat.left).toBeGreaterThan(0.5);
    expect((flat.left + flat.right) / 2).toBeCloseTo(3);
  });

  it("goes to the screen and back", () => {
    for (const [px, py] of [[0, 0], [800, 500], [123, 321]] as const) {
      const [x, y] = toData(whole, size, px, py);
      const [qx, qy] = toScreen(whole, size, x, y);
      expect(qx).toBeCloseTo(px);
      expect(qy).toBeCloseTo(py);
    }
  });

  it("has small y at the bottom", () => {
    expect(toScreen(whole, size, 0, 10)[1]).toBeGreaterThan(toScreen(whole, size, 0, 30)[1]);
  });

  it("takes what is under the pointer along when it pans", () => {
    const before = toData(whole, size, 100, 200);
    const moved = pan(whole, size, 30, -40);
    const [px, py] = toScreen(moved, size, ...before);
    expect(px).toBeCloseTo(130);
    expect(py).toBeCloseTo(160);
  });

  it("keeps the point under the pointer when it zooms", () => {
    const before = toData(whole, size, 250, 90);
    const closer = zoom(whole, size, 3, 250, 90, whole);
    const [px, py] = toScreen(closer, size, ...before);
    expect(px).toBeCloseTo(250);
    expect(py).toBeCloseTo(90);
    expect(whole.right - whole.left).toBeCloseTo(3 * (closer.right - closer.left));
  });

  it("zooms in and out to where it was", () => {
    const back = zoom(zoom(whole, size, 2.5, 10, 20, whole), size, 1 / 2.5, 10, 20, whole);
    expect(back.left).toBeCloseTo(whole.left);
    expect(back.top).toBeCloseTo(whole.top);
  });

  it("never gets lost", () => {
    let view = whole;
    for (let turn = 0; turn < 100; turn++) view = zoom(view, size, 4, 400, 250, whole);
    expect(view.right - view.left).toBeGreaterThan(0);
    for (let turn = 0; turn < 200; turn++) view = zoom(view, size, 0.25, 400, 250, whole);
    expect(view.right - view.left).toBeLessThanOrEqual(4.001 * (whole.right - whole.left));
  });

  it("centres on a state", () => {
    const [px, py] = toScreen(centredOn(whole, 1, 12), size, 1, 12);
    expect([px, py]).toEqual([400, 250]);
  });

  it("has round ticks inside the range", () => {
    expect(ticks(-0.3, 1.1, 5)).toEqual([0, 0.5, 1]);
    expect(ticks(5, 5, 5)).toEqual([]);
    for (const tick of ticks(-1234, 987, 6)) expect(Math.abs(tick % 100)).toBe(0);
  });
});

describe("ticks", () => {
  it("are told apart by what is written there", () => {
    for (const [low, high] of [[0, 1], [-5, 5], [0.80211, 0.80239], [1234.5, 1234.9], [99_990, 100_020]] as const) {
      const found = ticks(low, high, 6);
      const words = found.map((value) => number(value, tickDigits(found)));
      expect(new Set(words).size).toBe(found.length);
      expect(Math.max(...words.map((word) => word.length))).toBeLessThan(9);
    }
  });
});
