/** The canvas of the points: keeps the WebGL layer in step with the page's signals. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { colouring, hidden, rectangle, theme } from "../store";
import { canvas, drawing, sight, type Drawing } from "./drawing";
import { palette } from "./palette";
import { mask, positions } from "./positions";
import type { Size } from "./view";
import type { ReadonlySignal } from "@preact/signals";

export function PointCanvas({ size }: { size: ReadonlySignal<Size> }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const layer = drawing();
    if (!layer) return undefined;
    place.current!.append(canvas);
    const stop = follow(layer, size);
    return () => {
      stop();
      layer.release();
    };
  }, []);
  return (
    <>
      <div ref={place} class="points" aria-hidden="true" />
      {sight.value === "opening" && <p class="not-yet" role="status">Drawing the states …</p>}
    </>
  );
}

/** Send what changed to the graphics card, and draw. Returns how to stop. */
function follow(layer: Drawing, size: ReadonlySignal<Size>): () => void {
  const stops = [
    effect(() => {
      if (!positions.value) return;
      layer.set("x", positions.value.x);
      layer.set("y", positions.value.y);
    }),
    effect(() => {
      if (colouring.value) layer.set("code", colouring.value.codes);
    }),
    effect(() => {
      if (colouring.value) layer.setPalette(palette(colouring.value.legend, theme.value, hidden.value));
    }),
    effect(() => {
      if (mask.value) layer.set("chosen", mask.value);
      layer.setFade(mask.value !== null);
    }),
    effect(() => {
      const [places, shown, colours] = [positions.value, rectangle.value, colouring.value];
      void [mask.value, theme.value, hidden.value];
      if (!places || !shown || !colours || colours.codes.length !== places.x.length) return;
      const zoomed = (places.whole.right - places.whole.left) / (shown.right - shown.left);
      const ratio = window.devicePixelRatio || 1;
      if (size.value.width > 0) layer.draw({ view: shown, size: size.value, zoomed, ratio });
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
