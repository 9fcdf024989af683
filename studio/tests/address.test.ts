import { describe, expect, it } from "vitest";

import { questionToText, same, textToQuestion, textToView, viewToText } from "../src/address";
import { PLAIN, whole } from "../src/questions/whole";
import type { Question } from "../src/types";
import { randoms } from "./randoms";

function someQuestion(seed: number): Question {
  const random = randoms(seed);
  const maybe = <T>(value: T, other: T): T => (random() < 0.5 ? value : other);
  return {
    gamma: maybe(0.99, Number(random().toFixed(4))),
    cost: maybe<number | null>(null, random() * 10),
    k: maybe<number | null>(null, 1 + Math.floor(random() * 5)),
    weighting: maybe<Question["weighting"]>("inverse", "uniform"),
    slip: maybe(0, random()),
    worst_case: maybe(0, random()),
    horizon: maybe<number | null>(null, 1 + Math.floor(random() * 500)),
    support: maybe(0, random()),
    forbidden: maybe<number[]>([], [0, 2]),
    ranges: maybe<Question["ranges"]>([], [{ column: 0, low: null, high: -1.5 }, { column: 2, low: random(), high: 3e-9 }]),
    penalties: maybe<Record<string, number>>({}, { 1: random() - 0.5, 12: 3 }),
    reward: maybe<Question["reward"]>(null, {
      keep_logged: maybe(true, false),
      terms: [{ column: "a, b=<c>&#ü", weight: -1.5, of: "change", when: { column: "x:y", op: ">=", value: 1e-9 } }],
    }),
  };
}

describe("the address", () => {
  it("gives every question back", () => {
    for (let seed = 0; seed < 300; seed++) {
      const [question, usual] = [someQuestion(seed), someQuestion(seed + 1000)];
      const text = questionToText(question, usual).toString();
      expect(textToQuestion(new URLSearchParams(text), usual)).toEqual(question);
    }
  });

  it("is empty for the usual question", () => {
    expect(questionToText(PLAIN, structuredClone(PLAIN)).toString()).toBe("");
  });

  it("never fails on nonsense", () => {
    const text = new URLSearchParams("gamma=abc&k=&cost=NaN&forbidden=x,1,,2.5&penalty=a:b,1:x,2:3&reward={oops&weighting=<b>&ranges=0:1,x:1:2,1:a:2,2::,3::4,5:1:2:3");
    expect(textToQuestion(text, PLAIN)).toEqual({ ...PLAIN, forbidden: [1], ranges: [{ column: 0, low: 1, high: null }, { column: 3, low: null, high: 4 }], penalties: { 2: 3 } });
  });

  it("gives every view back", () => {
    const usual = { x: "c0", y: "c1", by: "value", panel: "inspect", state: null, other: null };
    const view = { x: "p0", y: "c3", by: "finding:far values", panel: "trust", state: 17, other: "abc" };
    const text = viewToText(view, new URLSearchParams()).toString();
    expect(textToView(new URLSearchParams(text), usual)).toEqual(view);
    expect(textToView(new URLSearchParams("state=-3"), usual).state).toBeNull();
    expect(textToView(new URLSearchParams("state=1.5"), usual).state).toBeNull();
  });

  it("compares whatever the order of keys", () => {
    expect(same({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(same({ a: 1 }, { a: 2 })).toBe(false);
  });

  it("makes questions whole that leave out what is usual", () => {
    expect(whole({})).toEqual(PLAIN);
    expect(whole({ gamma: 0.5 }).gamma).toBe(0.5);
  });
});
