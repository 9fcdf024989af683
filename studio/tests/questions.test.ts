import { describe, expect, it } from "vitest";

import { unframe } from "../src/api";
import { alike } from "../src/inspect/alike";
import { bounds, duration, logged, moment, number, percent, shortened, signed } from "../src/numbers";
import { asked, redone, undone } from "../src/questions/history";
import { gammaAt, LARGEST_GAMMA, placeOfGamma, placeOfPrice, priceAt, STEPS } from "../src/questions/scales";
import { PLAIN } from "../src/questions/whole";
import { differences, pinLabel } from "../src/questions/words";
import type { RewardTerm } from "../src/types";

describe("sliders", () => {
  it("of the discount move through its whole range and come back", () => {
    expect(gammaAt(0)).toBe(0);
    expect(gammaAt(STEPS)).toBe(LARGEST_GAMMA);
    expect(LARGEST_GAMMA).toBe(0.9999);
    for (let place = 0; place <= STEPS; place++) expect(placeOfGamma(gammaAt(place))).toBe(place);
    expect(gammaAt(placeOfGamma(0.99))).toBeCloseTo(0.99, 3);
  });

  it("of a price have zero at their left end", () => {
    expect(priceAt(0)).toBe(0);
    expect(placeOfPrice(0)).toBe(0);
    for (let place = 0; place <= STEPS; place++) expect(placeOfPrice(priceAt(place))).toBe(place);
  });
});

describe("names of pins", () => {
  it("are what was typed, or what is asked", () => {
    expect(pinLabel(" calm ", "gamma 0.9")).toBe("calm");
    expect(pinLabel(" ", "gamma 0.9")).toBe("gamma 0.9");
    expect(pinLabel("", "")).toBe("first question");
  });

  it("are never longer than the server takes", () => {
    const label = pinLabel("", "never torque ≤ −1.23, ".repeat(20));
    expect([...label].length).toBeLessThanOrEqual(120);
    expect(label.endsWith("…")).toBe(true);
  });
});

describe("another reward", () => {
  const words = (terms: RewardTerm[], keep_logged = true) => differences({ ...PLAIN, reward: { terms, keep_logged } }, PLAIN);
  const place: RewardTerm = { of: "next", column: "place", weight: 5, when: null, action: null };

  it("is told by its first term", () => {
    expect(words([place])).toBe("another reward: logged + 5 × place");
    expect(words([{ ...place, of: "change" }], false)).toBe("another reward: 5 × the change of place");
    const dear: RewardTerm = { of: "constant", column: "", weight: -10, when: { column: "lactate", op: ">", value: 4 }, action: 2 };
    expect(words([dear, place, place])).toBe("another reward: logged − 10 where lactate > 4, only for 2 and 2 more terms");
    expect(words([], false)).toBe("no reward");
  });
});

describe("comparable cases", () => {
  it("say how many are of one episode, where many are", () => {
    expect(alike(["a", "b", "a", "a"])).toBe(3);
    expect(alike(["a", "b", "a", "c", "d"])).toBe(0);
    expect(alike([])).toBe(0);
  });
});

describe("long names", () => {
  it("are cut, and say so", () => {
    expect(shortened("pole angle", 12)).toBe("pole angle");
    expect(shortened("a rather long name", 9)).toBe("a rather…");
    expect(shortened("🩺🩺🩺", 2)).toBe("🩺…");
  });
});

describe("undo", () => {
  const [one, two, three] = [0.1, 0.2, 0.3].map((gamma) => ({ ...PLAIN, gamma }));

  it("goes back and forth", () => {
    let past = asked(asked({ undo: [], redo: [] }, one, two), two, three);
    const back = undone(past, three)!;
    expect(back.question).toEqual(two);
    const forth = redone(back.past, back.question)!;
    expect(forth.question).toEqual(three);
    expect(forth.past).toEqual(past);
    past = asked(back.past, two, one);
    expect(past.redo).toEqual([]);
  });

  it("has nothing to go back to at first, and no steps that change nothing", () => {
    expect(undone({ undo: [], redo: [] }, one)).toBeNull();
    expect(asked({ undo: [], redo: [] }, one, structuredClone(one)).undo).toEqual([]);
  });
});

describe("frames and numbers", () => {
  it("splits a frame into its header and its numbers", () => {
    const header = new TextEncoder().encode('{"low":1}   ');
    const buffer = new ArrayBuffer(4 + header.length + 8);
    new DataView(buffer).setUint32(0, header.length, true);
    new Uint8Array(buffer).set(header, 4);
    new Uint8Array(buffer).set(new Uint8Array(new Float32Array([1.5, -2]).buffer), 4 + header.length);
    const { header: found, payload } = unframe<{ low: number }>(buffer);
    expect(found).toEqual({ low: 1 });
    expect([...new Float32Array(payload)]).toEqual([1.5, -2]);
  });

  it("are short and say when there is none", () => {
    expect(number(null)).toBe("–");
    expect(number(0.000012345)).toBe("1.23e-5");
    expect(number(1234.5678)).toBe("1,235");
    expect(number(-0.5)).toBe("−0.5");
    expect(number(-1.6e12, 3)).toBe("−1.6e12");
    expect(signed(2)).toBe("+2");
    expect(percent(0.1234)).toBe("12 %");
    expect(percent(0.0001)).toBe("< 0.1 %");
    expect([0.99, 0.9962, 0.99999, 1].map(percent)).toEqual(["99 %", "99.6 %", "> 99.9 %", "100 %"]);
    expect(duration(1234)).toBe("1.2 s");
    expect(moment("2024-09-22T15:12:00")).toBe("2024-09-22 15:12");
    expect(moment("17")).toBe("17");
    expect(["17", "0.5", "2024-09-22T15:12:00", "day 3"].map(logged)).toEqual(["time 17", "time 0.5", "2024-09-22 15:12", "day 3"]);
  });
});

describe("promises", () => {
  it("have bounds of their own below and above", () => {
    expect(bounds(0.0098, 3.84)).toBe("−0.0098 / +3.8");
    expect(bounds(0.34, 0.34)).toBe("± 0.34");
  });
});
