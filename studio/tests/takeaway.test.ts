import { describe, expect, it } from "vitest";

import { flow, plotBox } from "../src/takeaway/layout";
import { another } from "../src/takeaway/names";

describe("a legend", () => {
  it("goes on in the next line where it is too wide", () => {
    expect(flow([40, 40, 40], 100, 10)).toEqual([{ line: 0, x: 0 }, { line: 0, x: 50 }, { line: 1, x: 0 }]);
  });

  it("has a line for a part that is wider than all lines", () => {
    expect(flow([300, 20], 100, 10).map((place) => place.line)).toEqual([0, 1]);
  });
});

describe("a picture", () => {
  it("leaves room for ticks, names and legend", () => {
    const [one, more] = [plotBox({ width: 1600, height: 1000 }, 40, 1), plotBox({ width: 1600, height: 1000 }, 90, 3)];
    expect(one.x + one.width).toBeLessThan(1600);
    expect(one.y + one.height).toBeLessThan(1000);
    expect(more.x - one.x).toBe(50);
    expect(more.height).toBeLessThan(one.height);
  });
});

describe("a name that is taken", () => {
  it("is followed by the next one", () => {
    expect(["plan", "plan-2", "plan-9", "a-b", "my plan"].map(another)).toEqual(["plan-2", "plan-3", "plan-10", "a-b-2", "my plan-2"]);
  });
});
