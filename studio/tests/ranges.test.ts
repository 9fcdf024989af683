import { describe, expect, it } from "vitest";

import { limitsOf, stepOf, withLimits } from "../src/questions/ranges";
import type { ActionColumn, Range } from "../src/types";

const push: ActionColumn = { index: 1, name: "push", low: -2, high: 2, whole: false };
const gear: ActionColumn = { index: 0, name: "gear", low: 0, high: 4, whole: true };
const inner: Range = { column: 1, low: -0.1, high: 0.1 };

describe("limits of a column", () => {
  it("are its own ends where nothing is forbidden", () => {
    expect(limitsOf([], push)).toEqual([-2, 2]);
    expect(withLimits([], push, -2, 2)).toEqual([]);
  });

  it("come back as they were set, and leave other ranges alone", () => {
    for (const [low, high] of [[-1, 2], [-2, 0.5], [-0.25, 0.75]] as const) {
      const ranges = withLimits([inner, { column: 0, low: 3, high: null }], push, low, high);
      expect(limitsOf(ranges, push)).toEqual([low, high]);
      expect(ranges).toContainEqual(inner);
      expect(limitsOf(ranges, gear)).toEqual([0, 3]);
    }
  });

  it("forbid what lies beyond, the end included", () => {
    expect(withLimits([], push, -2, 1)).toEqual([{ column: 1, low: 1, high: null }]);
    expect(withLimits([], push, -1, 2)).toEqual([{ column: 1, low: null, high: -1 }]);
  });

  it("are short numbers however a slider computes", () => {
    expect(withLimits([], push, -2, 0.1 + 0.2)).toEqual([{ column: 1, low: 0.3, high: null }]);
    expect(stepOf(gear)).toBe(1);
  });
});
