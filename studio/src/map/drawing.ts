/** The points' layer as the page sees it: in a worker where browsers can, otherwise here. */

import type { Order, Report } from "./drawing.worker";
import { Layer, type Attribute, type Frame } from "./layer";

export interface Drawing {
  set(name: Attribute, values: Float32Array | Uint8Array): void;
  setPalette(colours: Uint8Array): void;
  setFade(on: boolean): void;
  draw(frame: Frame): void;
  release(): void;
}

/**
 * Start to draw on a canvas. `missing` is called where WebGL2 is not there, or was taken away; `seen` once there is
 * something to see.
 */
export function drawing(canvas: HTMLCanvasElement, missing: () => void, seen: () => void): Drawing {
  if (typeof canvas.transferControlToOffscreen !== "function") {
    canvas.addEventListener("webglcontextlost", missing);
    seen();
    return new Layer(canvas);
  }
  const worker = new Worker(new URL("./drawing.worker.ts", import.meta.url), { type: "module" });
  const send = (order: Order, moved: Transferable[] = []) => worker.postMessage(order, moved);
  const offscreen = canvas.transferControlToOffscreen();
  worker.onmessage = (message: MessageEvent<Report>) => (message.data === "seen" ? seen() : missing());
  send({ kind: "open", canvas: offscreen }, [offscreen]);
  return {
    set: (name, values) => send({ kind: "set", name, values }),
    setPalette: (colours) => send({ kind: "palette", colours }),
    setFade: (on) => send({ kind: "fade", on }),
    draw: (frame) => send({ kind: "draw", frame }),
    release: () => worker.terminate(),
  };
}
