/**
 * The points' layer as the page sees it: in a worker where browsers can, otherwise here.
 *
 * `main` opens it with the page: WebGL2 takes a while to start, and the server loads the model meanwhile.
 */

import { signal } from "@preact/signals";

import type { Order, Report } from "./drawing.worker";
import { Layer, NoWebGl, type Attribute, type Frame } from "./layer";

export interface Drawing {
  set(name: Attribute, values: Float32Array | Uint8Array): void;
  setPalette(colours: Uint8Array): void;
  setFade(on: boolean): void;
  draw(frame: Frame): void;
  release(): void;
}

/** "opening" until there is something to see; "missing" where WebGL2 is not there, or was taken away. */
export const sight = signal<"opening" | Report>("opening");
export const canvas = document.createElement("canvas");
let opened: Drawing | null = null;

/** What draws on the canvas; the first who asks opens it. Null where WebGL2 is missing. */
export function drawing(): Drawing | null {
  return (opened ??= begun());
}

function begun(): Drawing | null {
  if (typeof canvas.transferControlToOffscreen === "function") return inWorker();
  try {
    const layer = new Layer(canvas);
    canvas.addEventListener("webglcontextlost", () => (sight.value = "missing"));
    sight.value = "seen";
    return layer;
  } catch (failure) {
    if (!(failure instanceof NoWebGl)) throw failure;
    sight.value = "missing";
    return null;
  }
}

function inWorker(): Drawing {
  const worker = new Worker(new URL("./drawing.worker.ts", import.meta.url), { type: "module" });
  const send = (order: Order, moved: Transferable[] = []) => worker.postMessage(order, moved);
  const offscreen = canvas.transferControlToOffscreen();
  worker.onmessage = (message: MessageEvent<Report>) => {
    if (sight.value !== "missing") sight.value = message.data;
  };
  send({ kind: "open", canvas: offscreen }, [offscreen]);
  return {
    set: (name, values) => send({ kind: "set", name, values }),
    setPalette: (colours) => send({ kind: "palette", colours }),
    setFade: (on) => send({ kind: "fade", on }),
    draw: (frame) => send({ kind: "draw", frame }),
    release: () => worker.terminate(),
  };
}
