/**
 * Colours that colour-blind people tell apart: viridis for amounts, Okabe and Ito's set for
 * actions, blue to orange around zero. A palette is 256 RGBA entries, indexed by code.
 */

import type { Legend } from "../types";

export type Rgb = [number, number, number];
export type Theme = "light" | "dark";

/** Points of the viridis map, evenly spaced; what lies between is interpolated. */
const VIRIDIS: Rgb[] = [
  [68, 1, 84], [71, 19, 101], [72, 36, 117], [70, 52, 128], [65, 68, 135], [59, 82, 139], [53, 95, 141],
  [47, 108, 142], [42, 120, 142], [37, 132, 142], [33, 145, 140], [30, 156, 137], [34, 168, 132],
  [47, 180, 124], [68, 191, 112], [94, 201, 98], [122, 209, 81], [155, 217, 60], [189, 223, 38],
  [223, 227, 24], [253, 231, 37],
];

/** Of these, where the dark theme begins: the first ones could not be seen on its ground. */
const DARK_FROM = 6;

/** Blue for less, orange for more; the middle recedes into the theme's ground. */
const DIVERGING: Record<Theme, Rgb[]> = {
  light: [[33, 102, 172], [146, 197, 222], [232, 232, 232], [244, 165, 96], [178, 82, 24]],
  dark: [[80, 160, 240], [60, 100, 150], [70, 74, 80], [160, 100, 50], [250, 160, 70]],
};

/** Okabe and Ito's set, a brown in place of black, which the dark theme would hide. */
const OKABE_ITO: Rgb[] = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66],
  [140, 86, 60],
];

const MISSING: Record<Theme, Rgb> = { light: [203, 208, 214], dark: [72, 78, 88] };
/** What a finding or a change does not concern; states without a value are fainter. */
const REST: Record<Theme, Rgb> = { light: [150, 160, 172], dark: [112, 121, 135] };
/** Okabe and Ito's vermilion: what stands out from the rest. */
const FLAGGED = 5;
const CODES = 256;
const LAST_VALUE = 254;

/** The colour of category `index`; beyond the set, lighter and darker ones of it. */
export function categoryColour(index: number): Rgb {
  const base = OKABE_ITO[index % OKABE_ITO.length];
  const round = Math.floor(index / OKABE_ITO.length);
  if (round === 0) return base;
  const target: Rgb = round % 2 ? [255, 255, 255] : [0, 0, 0];
  return mixed(base, target, 0.4);
}

export function continuousColour(share: number, theme: Theme): Rgb {
  return along(theme === "dark" ? VIRIDIS.slice(DARK_FROM) : VIRIDIS, share);
}

export function divergingColour(share: number, theme: Theme): Rgb {
  return along(DIVERGING[theme], share);
}

/** The 256 colours of a legend; categories in `hidden` become transparent. */
export function palette(legend: Legend, theme: Theme, hidden: ReadonlySet<number> = new Set()): Uint8Array {
  const colours = new Uint8Array(CODES * 4);
  for (let code = 0; code < CODES; code++) {
    const alpha = hidden.has(code) ? 0 : 255;
    colours.set([...codeColour(legend, code, theme), alpha], code * 4);
  }
  return colours;
}

export function codeColour(legend: Legend, code: number, theme: Theme): Rgb {
  if (code === legend.missing) return MISSING[theme];
  if (legend.kind === "categories") return categoryOrPlain(legend, code, theme);
  const share = code / LAST_VALUE;
  return legend.kind === "diverging" ? divergingColour(share, theme) : continuousColour(share, theme);
}

/** For findings and changes, code 0 stands for 'not this one' and stays in the background. */
function categoryOrPlain(legend: Legend, code: number, theme: Theme): Rgb {
  if (legend.by === "action" || legend.by === "logged") return categoryColour(code);
  return code === 0 ? REST[theme] : categoryColour(legend.categories.length > 2 ? code - 1 : FLAGGED);
}

export function css(colour: Rgb): string {
  return `rgb(${colour.map((part) => Math.round(part)).join(" ")})`;
}

/** A value's place among the codes, and back. */
export function codeToValue(legend: Legend, code: number): number | null {
  if (code === legend.missing || legend.low === null || legend.high === null) return null;
  return legend.low + (code / LAST_VALUE) * (legend.high - legend.low);
}

function along(stops: Rgb[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return mixed(stops[index], stops[index + 1], place - index);
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((part) => Math.round(from[part] + share * (to[part] - from[part]))) as Rgb;
}
