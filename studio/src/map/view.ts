/** The rectangle of the plane that the map shows, and how it moves. All functions are pure. */

export interface Rectangle {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Room around the data, as a share of their range. */
const MARGIN = 0.04;
/** How far one may zoom in or out, relative to all the data. */
const CLOSEST = 1e-4;
const FARTHEST = 4;
/** Of a tick. */
const FEWEST_DIGITS = 3;

/** The rectangle around all data; a constant column gets a width of one. */
export function around(x: { low: number; high: number }, y: { low: number; high: number }): Rectangle {
  const [left, right] = padded(x.low, x.high);
  const [bottom, top] = padded(y.low, y.high);
  return { left, right, bottom, top };
}

function padded(low: number, high: number): [number, number] {
  const range = high > low ? high - low : 1;
  const start = high > low ? low : low - 0.5;
  return [start - MARGIN * range, start + range + MARGIN * range];
}

/** Data to pixels from the top left corner. */
export function toScreen(view: Rectangle, size: Size, x: number, y: number): [number, number] {
  return [
    ((x - view.left) / (view.right - view.left)) * size.width,
    ((view.top - y) / (view.top - view.bottom)) * size.height,
  ];
}

/** Pixels to data. */
export function toData(view: Rectangle, size: Size, px: number, py: number): [number, number] {
  return [
    view.left + (px / size.width) * (view.right - view.left),
    view.top - (py / size.height) * (view.top - view.bottom),
  ];
}

/** Move what is shown by this many pixels. */
export function pan(view: Rectangle, size: Size, dx: number, dy: number): Rectangle {
  const x = (dx / size.width) * (view.right - view.left);
  const y = (dy / size.height) * (view.top - view.bottom);
  return { left: view.left - x, right: view.right - x, bottom: view.bottom + y, top: view.top + y };
}

/** Zoom in by `factor` > 1 around a pixel, which keeps its place. */
export function zoom(
  view: Rectangle, size: Size, factor: number, px: number, py: number, whole: Rectangle,
): Rectangle {
  const wanted = (view.right - view.left) / factor / (whole.right - whole.left);
  const share = Math.min(Math.max(wanted, CLOSEST), FARTHEST);
  const width = share * (whole.right - whole.left);
  const ratio = width / (view.right - view.left);
  const height = (view.top - view.bottom) * ratio;
  const [x, y] = toData(view, size, px, py);
  const left = x - (px / size.width) * width;
  const top = y + (py / size.height) * height;
  return { left, right: left + width, bottom: top - height, top };
}

/** Move so that a point of the data stands in the middle. */
export function centredOn(view: Rectangle, x: number, y: number): Rectangle {
  const width = (view.right - view.left) / 2;
  const height = (view.top - view.bottom) / 2;
  return { left: x - width, right: x + width, bottom: y - height, top: y + height };
}

export function contains(view: Rectangle, x: number, y: number): boolean {
  return x >= view.left && x <= view.right && y >= view.bottom && y <= view.top;
}

/** Round numbers for the ticks of an axis, about `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const raw = (high - low) / Math.max(wanted, 1);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((base) => base * power).find((candidate) => candidate >= raw) ?? raw;
  const found: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high; index++) found.push(index * step + 0);
  return found;
}

/** How many significant digits tell neighbouring ticks apart. */
export function tickDigits(values: number[]): number {
  if (values.length < 2) return FEWEST_DIGITS;
  const largest = Math.max(...values.map(Math.abs));
  const step = values[1] - values[0];
  return Math.max(FEWEST_DIGITS, Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step * (1 + 1e-9))) + 1);
}
