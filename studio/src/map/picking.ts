/** Finding states on the map, and saying which one it is. */

import { codeToValue } from "./palette";
import { nearest, together } from "./grid";
import { grid, positions } from "./positions";
import type { Rectangle, Size } from "./view";
import { toData } from "./view";
import { actionName, axisLabel, colouring, hidden, view } from "../store";
import { number, plural } from "../numbers";

const REACH_PX = 12;

/** The shown state nearest to a pixel; `reach` in pixels. -1 where there is none. */
export function pick(rectangle: Rectangle, size: Size, px: number, py: number, reach = REACH_PX): number {
  const [index, places] = [grid.value, positions.value];
  if (!index || !places) return -1;
  const [x, y] = toData(rectangle, size, px, py);
  const reachX = (reach * (rectangle.right - rectangle.left)) / size.width;
  const reachY = (reach * (rectangle.top - rectangle.bottom)) / size.height;
  return nearest(index, places.x, places.y, x, y, reachX, reachY, shown());
}

function shown(): ((state: number) => boolean) | undefined {
  const [leftOut, colours] = [hidden.value, colouring.value];
  if (leftOut.size === 0 || !colours) return undefined;
  return (state) => !leftOut.has(colours.codes[state]);
}

/** What stands at a state, in rows of name and value. */
export function described(state: number): [string, string][] {
  const places = positions.value;
  const rows: [string, string][] = [];
  if (places) {
    rows.push([axisLabel(view.value.x), number(places.x[state])]);
    if (view.value.y !== view.value.x) rows.push([axisLabel(view.value.y), number(places.y[state])]);
  }
  const colours = colouring.value;
  if (colours) rows.push([colours.legend.label, meaning(colours.codes[state])]);
  const index = grid.value;
  const here = index && places ? together(index, places.x, places.y, state, shown()) : 1;
  if (here > 1) rows.push(["at this place", plural(here, "state")]);
  return rows;
}

function meaning(code: number): string {
  const legend = colouring.value?.legend;
  if (!legend) return "none";
  if (code === legend.missing) return legend.absent?.name ?? "none";
  if (legend.kind === "categories") {
    return legend.categories.find((category) => category.index === code)?.name ?? actionName(code);
  }
  const value = codeToValue(legend, code);
  if (code === 0) return `≤ ${number(value, 3)}`;
  return code === 254 ? `≥ ${number(value, 3)}` : `≈ ${number(value, 3)}`;
}
