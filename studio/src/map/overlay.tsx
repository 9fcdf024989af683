/** What is drawn over the points: ticks, the lasso, the chosen state and its imagined future. */

import type { Point } from "./lasso";
import { positions } from "./positions";
import { tickDigits, ticks, toScreen, type Rectangle, type Size } from "./view";
import { axisLabel, future, lasso, view } from "../store";
import { number, shortened } from "../numbers";

interface Props {
  size: Size;
  shown: Rectangle;
  hovered: number | null;
  drawing: Point[] | null;
  crosshair: boolean;
}

const TICK_EVERY_PX = 110;
/** Of a letter of an axis' name, about. */
const LETTER_PX = 8;
/** That the buttons take up beside the name of the upright axis. */
const BUTTONS_PX = 300;
const FEWEST_LETTERS = 12;
/** That the name of the upright axis takes up at the top: no tick is written there. */
const NAME_PX = 38;

export function Overlay({ size, shown, hovered, drawing, crosshair }: Props) {
  const at = (state: number): Point | null => {
    const places = positions.value;
    if (!places || state >= places.x.length) return null;
    return toScreen(shown, size, places.x[state], places.y[state]);
  };
  const chosen = view.value.state === null ? null : at(view.value.state);
  const over = hovered === null ? null : at(hovered);
  const group = lasso.value && lasso.value.x === view.value.x && lasso.value.y === view.value.y ? lasso.value : null;
  const border = drawing ?? group?.polygon ?? null;
  return (
    <svg class="overlay" width={size.width} height={size.height} aria-hidden="true">
      <Ticks size={size} shown={shown} />
      {border && <path class="lasso" d={outline(border.map(([x, y]) => toScreen(shown, size, x, y)))} />}
      <Path at={at} />
      {over && <circle class="hovered" cx={over[0]} cy={over[1]} r={7} />}
      {chosen && <Marker x={chosen[0]} y={chosen[1]} />}
      {crosshair && (
        <path
          class="crosshair"
          d={`M${size.width / 2 - 12} ${size.height / 2}h24M${size.width / 2} ${size.height / 2 - 12}v24`}
        />
      )}
    </svg>
  );
}

function Marker({ x, y }: { x: number; y: number }) {
  return (
    <g class="marker">
      <circle class="halo" cx={x} cy={y} r={9} />
      <circle class="ring" cx={x} cy={y} r={9} />
      <circle class="dot" cx={x} cy={y} r={2.5} />
    </g>
  );
}

/** The imagined future: one step after the other through logged states. */
function Path({ at }: { at: (state: number) => Point | null }) {
  if (!future.value) return null;
  const states = [...(view.value.state === null ? [] : [view.value.state]), ...future.value.steps.map((step) => step.state)];
  const points = states.map(at).filter((point) => point !== null);
  if (points.length === 0) return null;
  const last = points[points.length - 1];
  const line = points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return (
    <g class="future">
      <path class="halo" d={line} />
      <path class="line" d={line} />
      {points.map(([x, y], place) => <circle key={place} cx={x} cy={y} r={2.5} />)}
      <rect x={last[0] - 5} y={last[1] - 5} width={10} height={10} class={future.value.ended ? "end" : "open"} />
    </g>
  );
}

function Ticks({ size, shown }: { size: Size; shown: Rectangle }) {
  const across = ticks(shown.left, shown.right, size.width / TICK_EVERY_PX);
  const up = ticks(shown.bottom, shown.top, size.height / TICK_EVERY_PX);
  return (
    <g class="ticks">
      {across.map((value) => {
        const [x] = toScreen(shown, size, value, shown.bottom);
        return (
          <g key={value}>
            <line x1={x} x2={x} y1={0} y2={size.height} />
            <text x={x + 3} y={size.height - 5}>{number(value, tickDigits(across))}</text>
          </g>
        );
      })}
      {up.map((value) => {
        const [, y] = toScreen(shown, size, shown.left, value);
        return (
          <g key={value}>
            <line x1={0} x2={size.width} y1={y} y2={y} />
            {y > NAME_PX && <text x={5} y={y - 4}>{number(value, tickDigits(up))}</text>}
          </g>
        );
      })}
      <text class="name" x={size.width - 8} y={size.height - 20} text-anchor="end">{named(view.value.x, size.width)} →</text>
      <text class="name" x={8} y={18}>↑ {named(view.value.y, size.width - BUTTONS_PX)}</text>
    </g>
  );
}

/** The name of an axis, cut to what fits into a width. */
function named(axis: string, width: number): string {
  return shortened(axisLabel(axis), Math.max(Math.floor(width / LETTER_PX) - 3, FEWEST_LETTERS));
}

function outline(points: Point[]): string {
  return `${points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")}Z`;
}
