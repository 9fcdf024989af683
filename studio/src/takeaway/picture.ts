/**
 * The map as a picture with axes, ticks and legend.
 *
 * The server draws the points. The rest is drawn here: names of columns and actions may be in any
 * script, for which the browser has letters.
 */

import { mapPicture } from "../api";
import { codeColour, css, type Theme } from "../map/palette";
import { tickDigits, ticks, toScreen, type Rectangle, type Size } from "../map/view";
import { count, number, shortened } from "../numbers";
import type { Legend } from "../types";
import { EDGE_PX, flow, GAP_PX, LETTERS_PX, LINE_PX, plotBox, SCALE_PX, SWATCH_PX, type Box } from "./layout";

export const PICTURE: Size = { width: 1600, height: 1000 };
const TICK_EVERY_PX = 150;
const TICK_PX = 7;
const SCALE_STEPS = 160;
/** Of a legend; of more categories, how many others there are. */
const MOST_LISTED = 24;
const LONGEST_NAME = 60;

export interface Figure {
  /** What the server is asked for. */
  query: Record<string, string | number>;
  shown: Rectangle;
  across: string;
  up: string;
  legend: Legend;
  title: string;
  hidden: ReadonlySet<number>;
  theme: Theme;
}

/** Draw a figure and return it as PNG. */
export async function pictureOf(figure: Figure): Promise<Blob> {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, PICTURE);
  const pen = canvas.getContext("2d")!;
  const ink = inks();
  pen.fillStyle = ink.paper;
  pen.fillRect(0, 0, PICTURE.width, PICTURE.height);
  pen.font = letters();
  const entries = entriesOf(figure, pen);
  const places = flow(entries.map((entry) => entry.width), PICTURE.width - 2 * EDGE_PX);
  const lines = Math.max(...places.map((place) => place.line)) + 1;
  const box = plotBox(PICTURE, widestTick(figure.shown, pen), lines);
  pen.drawImage(await points(figure, box), box.x, box.y);
  drawAxes(pen, figure, box, ink);
  const top = PICTURE.height - EDGE_PX - lines * LINE_PX;
  entries.forEach((entry, index) => {
    pen.fillStyle = ink.ink;
    entry.draw(EDGE_PX + places[index].x, top + (places[index].line + 0.5) * LINE_PX);
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser could not make the picture.")))));
}

async function points(figure: Figure, box: Box): Promise<ImageBitmap> {
  const asked = { ...figure.query, ...figure.shown, width: box.width, height: box.height };
  const answer = await fetch(mapPicture(asked), { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return createImageBitmap(await answer.blob());
}

function letters(bold = false): string {
  return `${bold ? 600 : 400} ${LETTERS_PX}px ${getComputedStyle(document.body).fontFamily}`;
}

interface Inks {
  paper: string;
  ink: string;
  soft: string;
  line: string;
}

function inks(): Inks {
  const style = getComputedStyle(document.documentElement);
  const [paper, ink, soft, line] = ["paper", "ink", "soft", "strong-line"].map((name) => style.getPropertyValue(`--${name}`));
  return { paper, ink, soft, line };
}

function upTicks(shown: Rectangle): number[] {
  return ticks(shown.bottom, shown.top, PICTURE.height / TICK_EVERY_PX);
}

function tickTexts(values: number[]): [number, string][] {
  const digits = tickDigits(values);
  return values.map((value) => [value, number(value, digits)]);
}

function widestTick(shown: Rectangle, pen: CanvasRenderingContext2D): number {
  return Math.max(0, ...tickTexts(upTicks(shown)).map(([, words]) => pen.measureText(words).width));
}

function drawAxes(pen: CanvasRenderingContext2D, { shown, across, up }: Figure, box: Box, ink: Inks): void {
  pen.strokeStyle = ink.line;
  pen.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  pen.fillStyle = ink.soft;
  pen.textBaseline = "middle";
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  for (const [value, words] of tickTexts(ticks(shown.left, shown.right, box.width / TICK_EVERY_PX))) {
    const x = box.x + toScreen(shown, box, value, shown.bottom)[0];
    pen.fillRect(x, bottom, 1, TICK_PX);
    pen.textAlign = "center";
    pen.fillText(words, x, bottom + TICK_PX + LINE_PX / 2);
  }
  for (const [value, words] of tickTexts(upTicks(shown))) {
    const y = box.y + toScreen(shown, box, shown.left, value)[1];
    pen.fillRect(box.x - TICK_PX, y, TICK_PX, 1);
    pen.textAlign = "right";
    pen.fillText(words, box.x - TICK_PX - 3, y);
  }
  pen.fillStyle = ink.ink;
  pen.font = letters(true);
  pen.textAlign = "center";
  pen.fillText(shortened(across, LONGEST_NAME), (box.x + right) / 2, bottom + TICK_PX + 1.5 * LINE_PX);
  pen.save();
  pen.translate(EDGE_PX + LINE_PX / 2, (box.y + bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(shortened(up, LONGEST_NAME), 0, 0);
  pen.restore();
}

/** A part of a legend; `y` is the middle of its line. */
interface Entry {
  width: number;
  draw: (x: number, y: number) => void;
}

function entriesOf(figure: Figure, pen: CanvasRenderingContext2D): Entry[] {
  const { legend, hidden, theme } = figure;
  const known = [...legend.categories, ...(legend.absent ? [legend.absent] : [])].filter(({ index }) => !hidden.has(index));
  const listed = known.slice(0, MOST_LISTED).map(({ index, name, count: states }) =>
    swatch(pen, css(codeColour(legend, index, theme)), `${shortened(name, LONGEST_NAME)} (${count(states)})`));
  const rest = known.length > MOST_LISTED ? [text(pen, `and ${known.length - MOST_LISTED} others`)] : [];
  return [text(pen, figure.title, true), ...(legend.kind === "categories" ? [] : [scale(pen, legend, theme)]), ...listed, ...rest];
}

function text(pen: CanvasRenderingContext2D, words: string, bold = false): Entry {
  const font = letters(bold);
  pen.font = font;
  const width = pen.measureText(words).width;
  pen.font = letters();
  const draw = (x: number, y: number) => {
    pen.font = font;
    pen.textAlign = "left";
    pen.fillText(words, x, y);
  };
  return { width, draw };
}

function swatch(pen: CanvasRenderingContext2D, colour: string, words: string): Entry {
  const beside = text(pen, words);
  const draw = (x: number, y: number) => {
    beside.draw(x + SWATCH_PX + GAP_PX, y);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x + SWATCH_PX / 2, y, SWATCH_PX / 2, 0, 2 * Math.PI);
    pen.fill();
  };
  return { width: SWATCH_PX + GAP_PX + beside.width, draw };
}

function scale(pen: CanvasRenderingContext2D, legend: Legend, theme: Theme): Entry {
  const [low, high] = [text(pen, number(legend.low, 3)), text(pen, number(legend.high, 3))];
  const draw = (x: number, y: number) => {
    low.draw(x, y);
    const from = x + low.width + GAP_PX;
    high.draw(from + SCALE_PX + GAP_PX, y);
    for (let step = 0; step < SCALE_STEPS; step++) {
      pen.fillStyle = css(codeColour(legend, Math.round((step / (SCALE_STEPS - 1)) * 254), theme));
      pen.fillRect(from + (step * SCALE_PX) / SCALE_STEPS, y - SWATCH_PX / 2, SCALE_PX / SCALE_STEPS, SWATCH_PX);
    }
  };
  return { width: low.width + high.width + SCALE_PX + 2 * GAP_PX, draw };
}
