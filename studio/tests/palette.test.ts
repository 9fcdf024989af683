import { describe, expect, it } from "vitest";

import { categoryColour, codeColour, codeToValue, continuousColour, divergingColour, palette, type Rgb } from "../src/map/palette";
import type { Legend } from "../src/types";

const amounts: Legend = { by: "value", label: "value", kind: "continuous", low: -10, high: 30, categories: [], missing: 255, absent: null };
const actions: Legend = { ...amounts, by: "action", kind: "categories" };

function brightness([red, green, blue]: Rgb): number {
  const linear = (part: number) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** As red-green blind people see it (Viénot, Brettel and Mollon's matrix for deuteranopes, in sRGB). */
function deuteranope([red, green, blue]: Rgb): Rgb {
  return [0.29 * red + 0.71 * green, 0.29 * red + 0.71 * green, -0.02 * red + 0.02 * green + blue];
}

describe("palettes", () => {
  it("have 256 colours, and the missing one is grey", () => {
    const colours = palette(amounts, "light");
    expect(colours.length).toBe(1024);
    const [red, green, blue] = codeColour(amounts, 255, "light");
    expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(20);
  });

  it("get brighter with the amount, so that they work without hue", () => {
    for (const theme of ["light", "dark"] as const) {
      let last = -1;
      for (let step = 0; step <= 50; step++) {
        const now = brightness(continuousColour(step / 50, theme));
        expect(now).toBeGreaterThan(last);
        last = now;
      }
    }
  });

  it("can be seen on the dark ground, the least amounts too", () => {
    const ground = brightness([26, 32, 41]);
    for (let code = 0; code < 255; code++) {
      expect((brightness(codeColour(amounts, code, "dark")) + 0.05) / (ground + 0.05)).toBeGreaterThan(2.3);
    }
  });

  it("tell less from more for red-green blind people", () => {
    for (const theme of ["light", "dark"] as const) {
      const [less, more] = [deuteranope(divergingColour(0.1, theme)), deuteranope(divergingColour(0.9, theme))];
      expect(Math.hypot(...less.map((part, index) => part - more[index]))).toBeGreaterThan(90);
    }
  });

  it("tell the first eight actions apart for red-green blind people", () => {
    for (let one = 0; one < 8; one++) {
      for (let two = 0; two < one; two++) {
        const [left, right] = [deuteranope(categoryColour(one)), deuteranope(categoryColour(two))];
        expect(Math.hypot(...left.map((part, index) => part - right[index])), `${one} and ${two}`).toBeGreaterThan(25);
      }
    }
  });

  it("hide categories by making them transparent", () => {
    const colours = palette(actions, "dark", new Set([1]));
    expect(colours[7]).toBe(0);
    expect(colours[3]).toBe(255);
  });

  it("turn codes into values", () => {
    expect(codeToValue(amounts, 0)).toBe(-10);
    expect(codeToValue(amounts, 254)).toBe(30);
    expect(codeToValue(amounts, 255)).toBeNull();
  });
});
