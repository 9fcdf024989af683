/** Mouse, touch and keys on the map. The view moves at once; what was meant is told by callbacks. */

import type { Signal } from "@preact/signals";

import { rectangle } from "../store";
import { thinned, type Point } from "./lasso";
import { positions } from "./positions";
import { pan, toData, zoom, type Size } from "./view";

export type Tool = "pan" | "lasso";

export interface Meanings {
  size: Signal<Size>;
  tool: Signal<Tool>;
  /** The lasso while it is drawn, in data units. */
  drawing: Signal<Point[] | null>;
  hover(px: number, py: number): void;
  leave(): void;
  click(px: number, py: number): void;
  enclose(polygon: Point[]): void;
}

const CLICK_PX = 4;
const WHEEL_SPEED = 0.0015;
const KEY_PAN_PX = 60;
export const ZOOM_STEP = 1.4;
const LASSO_STEP_PX = 3;

/** Zoom around the middle of the map. */
export function zoomBy(factor: number, size: Size): void {
  zoomAt(factor, size, size.width / 2, size.height / 2);
}

function zoomAt(factor: number, size: Size, px: number, py: number): void {
  const [shown, places] = [rectangle.value, positions.value];
  if (shown && places) rectangle.value = zoom(shown, size, factor, px, py, places.whole);
}

/** Listen on the map's element; returns how to stop. */
export function gestures(element: HTMLElement, meanings: Meanings): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    kind: K, act: (event: HTMLElementEventMap[K]) => void, options: AddEventListenerOptions = {},
  ) => element.addEventListener(kind, act, { ...options, signal: stop.signal });
  on("wheel", (event) => {
    event.preventDefault();
    const [px, py] = inside(element, event);
    zoomAt(Math.exp(-event.deltaY * WHEEL_SPEED), meanings.size.value, px, py);
  }, { passive: false });
  on("pointerleave", () => meanings.leave());
  on("pointermove", (event) => {
    if (event.buttons === 0) meanings.hover(...inside(element, event));
  });
  on("pointerdown", (event) => {
    if (event.button === 0) drag(element, event, meanings);
  });
  return () => stop.abort();
}

function drag(element: HTMLElement, first: PointerEvent, meanings: Meanings): void {
  const drawing = meanings.tool.value === "lasso" || first.shiftKey;
  const start = inside(element, first);
  let last = start;
  let path: Point[] = [start];
  let moved = false;
  const stop = new AbortController();
  element.setPointerCapture(first.pointerId);
  const onMove = (event: PointerEvent) => {
    const here = inside(element, event);
    moved ||= Math.hypot(here[0] - start[0], here[1] - start[1]) > CLICK_PX;
    if (!moved || !rectangle.value) return;
    if (drawing) {
      path = thinned([...path, here], LASSO_STEP_PX);
      meanings.drawing.value = path.map(([px, py]) => toData(rectangle.value!, meanings.size.value, px, py));
    } else {
      rectangle.value = pan(rectangle.value, meanings.size.value, here[0] - last[0], here[1] - last[1]);
    }
    last = here;
  };
  const onEnd = (event: PointerEvent) => {
    stop.abort();
    const polygon = meanings.drawing.value;
    meanings.drawing.value = null;
    if (event.type === "pointercancel") return;
    if (!moved) meanings.click(...start);
    else if (drawing && polygon && polygon.length > 2) meanings.enclose(polygon);
  };
  element.addEventListener("pointermove", onMove, { signal: stop.signal });
  element.addEventListener("pointerup", onEnd, { signal: stop.signal });
  element.addEventListener("pointercancel", onEnd, { signal: stop.signal });
}

/** Keys that move the view; true if this was one. */
export function moveByKey(key: string, size: Size): boolean {
  const shifts: Record<string, Point> = {
    ArrowLeft: [KEY_PAN_PX, 0], ArrowRight: [-KEY_PAN_PX, 0], ArrowUp: [0, KEY_PAN_PX], ArrowDown: [0, -KEY_PAN_PX],
  };
  const shift = shifts[key];
  if (shift && rectangle.value) rectangle.value = pan(rectangle.value, size, ...shift);
  else if (key === "+" || key === "=") zoomBy(ZOOM_STEP, size);
  else if (key === "-" || key === "_") zoomBy(1 / ZOOM_STEP, size);
  else if (key === "0") rectangle.value = positions.value?.whole ?? null;
  else return false;
  return true;
}

function inside(element: HTMLElement, event: MouseEvent): Point {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
