/** Works off the page's thread: builds the grid and finds what a polygon encloses. */

import { buildGrid, type Grid } from "./grid";
import { enclosed, type Point } from "./lasso";
import type { Rectangle } from "./view";

export type Task =
  | { job: number; kind: "grid"; x: Float32Array; y: Float32Array; bounds: Rectangle }
  | { job: number; kind: "lasso"; polygon: Point[] };

export type Answer =
  | { job: number; kind: "grid"; grid: Grid }
  | { job: number; kind: "lasso"; mask: Uint8Array; states: number };

let x: Float32Array = new Float32Array(0);
let y: Float32Array = new Float32Array(0);

self.onmessage = (message: MessageEvent<Task>) => {
  const task = message.data;
  if (task.kind === "grid") {
    x = task.x;
    y = task.y;
    const grid = buildGrid(x, y, task.bounds);
    const answer: Answer = { job: task.job, kind: "grid", grid };
    self.postMessage(answer, { transfer: [grid.starts.buffer, grid.items.buffer] });
  } else {
    const found = enclosed(x, y, task.polygon);
    const answer: Answer = { job: task.job, kind: "lasso", ...found };
    self.postMessage(answer, { transfer: [found.mask.buffer] });
  }
};
