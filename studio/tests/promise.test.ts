import { describe, expect, it } from "vitest";

import { beyondCases } from "../src/inspect/promise";
import type { Case } from "../src/types";

const ended = { return_after: 2, return_known: true, ended: "terminated" } as Case;
const cut = { return_after: 1, return_known: false, ended: "truncated" } as Case;

describe("a promise beside comparable cases", () => {
  it("is doubted where no case earned as much", () => {
    expect(beyondCases(3, 0.5, [ended, ended, cut])).toBe("More than any comparable case earned (best 2; those cut off, until then).");
    expect(beyondCases(3, 0.5, [ended])).toBe("More than any comparable case earned (best 2).");
    const worse = [-109, -92].map((value) => ({ ...ended, return_after: value }));
    expect(beyondCases(159.5, 0.1, worse)).toBe("More than any comparable case earned (best −92).");
  });

  it("is not doubted within the certified error", () => {
    expect(beyondCases(2, 0, [ended])).toBe("");
    expect(beyondCases(2.4, 0.5, [ended])).toBe("");
    expect(beyondCases(null, 0, [ended])).toBe("");
    expect(beyondCases(3, 0, [])).toBe("");
  });

  it("is not doubted where most cases were cut off", () => {
    expect(beyondCases(3, 0, [cut, cut, ended])).toBe("");
    expect(beyondCases(3, 0, [cut, ended])).toBe("");
  });
});
