/** Where the parts of a picture of the map stand: names and ticks beside it, the legend below. All functions are pure. */

import type { Size } from "../map/view";

export const EDGE_PX = 24;
export const GAP_PX = 10;
/** Of a line of text, and of the letters in it. */
export const LINE_PX = 34;
export const LETTERS_PX = 21;
export const SWATCH_PX = 14;
export const SCALE_PX = 320;

export interface Box extends Size {
  x: number;
  y: number;
}

/** Parts of a legend side by side, in as many lines as it takes: for each the line and its left end. */
export function flow(widths: number[], most: number, between = 2 * GAP_PX): { line: number; x: number }[] {
  let [line, x] = [0, 0];
  return widths.map((width) => {
    if (x > 0 && x + width > most) [line, x] = [line + 1, 0];
    const place = { line, x };
    x += width + between;
    return place;
  });
}

/** The rectangle of the points in a picture, with a legend of so many lines and ticks of such a width. */
export function plotBox(picture: Size, ticksWidth: number, legendLines: number): Box {
  const left = Math.ceil(EDGE_PX + LINE_PX + ticksWidth + GAP_PX);
  const below = 2 * LINE_PX + GAP_PX + legendLines * LINE_PX + EDGE_PX;
  return { x: left, y: EDGE_PX, width: picture.width - left - EDGE_PX, height: picture.height - EDGE_PX - below };
}
