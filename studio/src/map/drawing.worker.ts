/** Draws the points off the page's thread, so that a slow graphics card never holds up the page. */

import { Layer, NoWebGl, type Attribute, type Frame } from "./layer";

export type Order =
  | { kind: "open"; canvas: OffscreenCanvas }
  | { kind: "set"; name: Attribute; values: Float32Array | Uint8Array }
  | { kind: "palette"; colours: Uint8Array }
  | { kind: "fade"; on: boolean }
  | { kind: "draw"; frame: Frame };

export type Report = "missing" | "seen";

let layer: Layer | null = null;
let seen = false;

self.onmessage = (message: MessageEvent<Order>) => {
  const order = message.data;
  if (order.kind === "open") layer = opened(order.canvas);
  else if (order.kind === "set") layer?.set(order.name, order.values);
  else if (order.kind === "palette") layer?.setPalette(order.colours);
  else if (order.kind === "fade") layer?.setFade(order.on);
  else if (layer) {
    layer.draw(order.frame);
    if (!seen) requestAnimationFrame(() => requestAnimationFrame(tellSeen));
  }
};

/** The frame before was drawn. */
function tellSeen(): void {
  seen = true;
  self.postMessage("seen" satisfies Report);
}

function opened(canvas: OffscreenCanvas): Layer | null {
  const missing = () => self.postMessage("missing" satisfies Report);
  canvas.addEventListener("webglcontextlost", missing);
  try {
    return new Layer(canvas);
  } catch (failure) {
    if (!(failure instanceof NoWebGl)) throw failure;
    missing();
    return null;
  }
}
