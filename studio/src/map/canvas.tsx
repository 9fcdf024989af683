/** The canvas of the points: keeps the WebGL layer in step with the page's signals. */

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { colouring, hidden, rectangle, theme } from "../store";
import { drawing, type Drawing } from "./drawing";
import { NoWebGl } from "./layer";
import { palette } from "./palette";
import { mask, positions } from "./positions";
import type { Size } from "./view";
import type { ReadonlySignal } from "@preact/signals";

interface Props {
  size: ReadonlySignal<Size>;
  /** Called where WebGL2 is missing or was taken away. */
  onMissing: () => void;
}

export function PointCanvas({ size, onMissing }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const seen = useSignal(false);
  useEffect(() => {
    let layer: Drawing;
    try {
      layer = drawing(canvas.current!, onMissing, () => (seen.value = true));
    } catch (failure) {
      if (!(failure instanceof NoWebGl)) throw failure;
      onMissing();
      return undefined;
    }
    const stop = follow(layer, size);
    return () => {
      stop();
      layer.release();
    };
  }, []);
  return (
    <>
      <canvas ref={canvas} class="points" aria-hidden="true" />
      {!seen.value && <p class="not-yet" role="status">Drawing the states …</p>}
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
