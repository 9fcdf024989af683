/** The map: all core states on two axes. */

import { useComputed, useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { failed, future, lasso, look, model, rectangle, view } from "../store";
import { count } from "../numbers";
import { PointCanvas } from "./canvas";
import { sight } from "./drawing";
import { gestures, moveByKey, type Meanings, type Tool } from "./gestures";
import type { Point } from "./lasso";
import { Legend } from "./legend";
import { Overlay } from "./overlay";
import { described, pick } from "./picking";
import { ServerPicture } from "./picture";
import { index, mask, positions } from "./positions";
import { Choices, Tools } from "./toolbar";
import { centredOn, contains, type Size } from "./view";

const KEYS = "Arrow keys move, plus and minus zoom, 0 shows all. Enter takes the state nearest to the middle, "
  + "comma and full stop go to the state before and after, G takes all states in view as a group, Escape lets go.";

export function MapView() {
  const tool = useSignal<Tool>("pan");
  const size = useSignal<Size>({ width: 0, height: 0 });
  return (
    <section class="map" aria-label="Map">
      <Choices />
      {sight.value === "missing" && (
        <p class="message" role="status">
          This browser has no WebGL2, so the server draws the map. Everything works; moving is slower.
        </p>
      )}
      <div class="frame">
        <Plot tool={tool} size={size} />
        <Tools tool={tool} size={size.value} onVisible={() => void enclose(corners())} />
      </div>
      <Legend />
    </section>
  );
}

function Plot({ tool, size }: { tool: Signal<Tool>; size: Signal<Size> }) {
  const element = useRef<HTMLDivElement>(null);
  const hovered = useSignal<number | null>(null);
  const pointer = useSignal<Point>([0, 0]);
  const drawing = useSignal<Point[] | null>(null);
  const byKeyboard = useSignal(false);
  const shown = useComputed(() => rectangle.value);
  useEffect(() => {
    const box = element.current!;
    const watcher = new ResizeObserver(() => (size.value = { width: box.clientWidth, height: box.clientHeight }));
    watcher.observe(box);
    const meanings: Meanings = {
      size, tool, drawing,
      hover: (px, py) => {
        pointer.value = [px, py];
        const state = rectangle.value ? pick(rectangle.value, size.value, px, py) : -1;
        hovered.value = state < 0 ? null : state;
      },
      leave: () => (hovered.value = null),
      click: (px, py) => choose(px, py, size.value),
      enclose: (polygon) => void enclose(polygon),
    };
    const stop = gestures(box, meanings);
    return () => {
      watcher.disconnect();
      stop();
    };
  }, []);
  const states = model.value?.states ?? 0;
  return (
    <div
      ref={element} class={`plot ${tool.value}`} tabIndex={0} role="application" id="map"
      aria-label={`Map of ${count(states)} states`} aria-describedby="map-keys"
      onKeyDown={(event) => byKeys(event, size.value)}
      onFocus={() => (byKeyboard.value = element.current!.matches(":focus-visible"))}
      onBlur={() => (byKeyboard.value = false)}
    >
      {sight.value === "missing" ? <ServerPicture size={size.value} /> : <PointCanvas size={size} />}
      {shown.value && (
        <Overlay
          size={size.value} shown={shown.value} hovered={hovered.value} drawing={drawing.value}
          crosshair={byKeyboard.value}
        />
      )}
      {hovered.value !== null && <Tip state={hovered.value} at={pointer.value} size={size.value} />}
      <p id="map-keys" class="unseen">{KEYS}</p>
    </div>
  );
}

function Tip({ state, at, size }: { state: number; at: Point; size: Size }) {
  const right = at[0] > size.width - 240;
  const low = at[1] > size.height - 110;
  const place = {
    [right ? "right" : "left"]: `${right ? size.width - at[0] + 14 : at[0] + 14}px`,
    [low ? "bottom" : "top"]: `${low ? size.height - at[1] + 14 : at[1] + 14}px`,
  };
  return (
    <div class="tip" style={place} role="tooltip">
      <b>State {count(state)}</b>
      <dl>
        {described(state).map(([name, value]) => (
          <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
        ))}
      </dl>
    </div>
  );
}

function choose(px: number, py: number, size: Size, reach?: number): void {
  const shown = rectangle.value;
  const state = shown ? pick(shown, size, px, py, reach) : -1;
  if (state >= 0) select(state);
}

/** Look at a state: its evidence on the right, its place on the map. */
export function select(state: number): void {
  future.value = null;
  look({ state, panel: "inspect" });
  const [places, shown] = [positions.value, rectangle.value];
  if (!places || !shown) return;
  const [x, y] = [places.x[state], places.y[state]];
  if (Number.isFinite(x) && Number.isFinite(y) && !contains(shown, x, y)) rectangle.value = centredOn(shown, x, y);
}

/** Take the states inside a polygon as a group. */
export async function enclose(polygon: Point[]): Promise<void> {
  const { x, y } = view.value;
  try {
    const found = await index.lasso(polygon);
    mask.value = found.mask;
    lasso.value = { polygon, x, y, states: found.states };
    future.value = null;
    look({ panel: "inspect", state: null });
  } catch (failure) {
    failed(failure);
  }
}

export function letGo(): void {
  mask.value = null;
  lasso.value = null;
  future.value = null;
  look({ state: null });
}

function corners(): Point[] {
  const shown = rectangle.value;
  if (!shown) return [];
  const { left, right, bottom, top } = shown;
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
}

function byKeys(event: KeyboardEvent, size: Size): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const states = model.value?.states ?? 0;
  const present = view.value.state ?? 0;
  const middle: [number, number] = [size.width / 2, size.height / 2];
  if (moveByKey(event.key, size)) event.preventDefault();
  else if (event.key === "Enter") choose(...middle, size, Math.max(size.width, size.height));
  else if (event.key === ".") select(Math.min(present + 1, states - 1));
  else if (event.key === ",") select(Math.max(present - 1, 0));
  else if (event.key === "g" || event.key === "G") void enclose(corners());
  else if (event.key === "Escape") letGo();
}
