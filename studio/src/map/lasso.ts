/** States inside a polygon drawn by hand. */

export type Point = [number, number];

/** Even-odd rule: a point is inside if a ray from it crosses the border an odd number of times. */
export function inside(polygon: readonly Point[], x: number, y: number): boolean {
  let within = false;
  for (let one = 0, other = polygon.length - 1; one < polygon.length; other = one++) {
    const [x1, y1] = polygon[one];
    const [x2, y2] = polygon[other];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) within = !within;
  }
  return within;
}

/** One byte per state: 1 inside, 0 outside; and how many are inside. */
export function enclosed(
  x: Float32Array, y: Float32Array, polygon: readonly Point[],
): { mask: Uint8Array; states: number } {
  const mask = new Uint8Array(x.length);
  const left = Math.min(...polygon.map((point) => point[0]));
  const right = Math.max(...polygon.map((point) => point[0]));
  const bottom = Math.min(...polygon.map((point) => point[1]));
  const top = Math.max(...polygon.map((point) => point[1]));
  let states = 0;
  for (let state = 0; state < x.length; state++) {
    const px = x[state];
    const py = y[state];
    if (px < left || px > right || py < bottom || py > top) continue;
    if (inside(polygon, px, py)) {
      mask[state] = 1;
      states++;
    }
  }
  return { mask, states };
}

/** Leave out points of a path that are closer than `step` to the one before. */
export function thinned(path: readonly Point[], step: number): Point[] {
  const kept: Point[] = [];
  for (const point of path) {
    const last = kept[kept.length - 1];
    if (!last || Math.hypot(point[0] - last[0], point[1] - last[1]) >= step) kept.push(point);
  }
  return kept;
}
