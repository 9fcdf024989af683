/**
 * From a changed question to a certified plan.
 *
 * Where plans keep up with a slider, one request is under way and the newest question waits
 * for it, but not for long; above, a pause of the slider is waited for. The server drops what is
 * overtaken, and an answer to an older question never replaces one to a newer.
 */

import { batch } from "@preact/signals";

import { api, Overtaken } from "../api";
import {
  beside, colouring, failed, first, model, past, pins, plan, planned, question, reference, roundTrip, stale, tab, view,
} from "../store";
import { same } from "../address";
import { completed } from "./whole";
import type { Question } from "../types";
import { asked, redone, undone } from "./history";

const PAUSE_MS = 200;
/** How long a newer question waits for an older one's answer before it overtakes it. */
const PATIENCE_MS = 300;

let sequence = 0;
let shown = 0;
let underWay = 0;
let waiting = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let committed: Question | null = null;

/** Change the question. `moving` while a slider is held: one step of undo for the whole move. */
export function ask(change: Partial<Question>, moving = false): void {
  const before = question.value;
  if (!before) return;
  committed ??= before;
  question.value = { ...before, ...change };
  if (!moving) settle();
  replan(moving);
}

/** A slider was let go: what was asked before it moved can be undone to. */
export function settle(): void {
  if (committed && question.value) past.value = asked(past.value, committed, question.value);
  committed = null;
}

export function undo(): void {
  step(question.value && undone(past.value, question.value));
}

export function redo(): void {
  step(question.value && redone(past.value, question.value));
}

function step(found: { past: typeof past.value; question: Question } | null): void {
  if (!found) return;
  past.value = found.past;
  question.value = found.question;
  replan(false);
}

/** Ask the server for the present question. */
export function replan(moving: boolean): void {
  stale.value = !plan.value || !same(plan.value.question, question.value);
  clearTimeout(timer);
  if (model.value?.live) {
    if (underWay === 0) void send();
    else {
      waiting = true;
      timer = setTimeout(overtake, PATIENCE_MS);
    }
  } else if (moving) {
    timer = setTimeout(() => void send(), PAUSE_MS);
  } else {
    void send();
  }
}

function overtake(): void {
  if (!waiting) return;
  waiting = false;
  void send();
}

async function send(): Promise<void> {
  if (!question.value) return;
  const mine = ++sequence;
  const began = performance.now();
  const { by, other } = view.value;
  const body = {
    question: question.value, tab, sequence: mine, against: reference.value, colouring: by, other: beside(by, other),
  };
  underWay++;
  try {
    const { header, payload } = await api.plan(body);
    if (mine < shown) return;
    shown = mine;
    batch(() => {
      plan.value = completed(header.plan);
      planned.value = null;
      stale.value = mine < sequence || waiting;
      if (by === view.value.by) colouring.value = { legend: header.legend, codes: new Uint8Array(payload) };
      else void recolour();
    });
    roundTrip.value = performance.now() - began;
  } catch (failure) {
    if (!(failure instanceof Overtaken)) {
      failed(failure);
      stale.value = true;
    }
  } finally {
    underWay--;
    if (waiting && underWay === 0) {
      waiting = false;
      void send();
    }
  }
}

let recolouring = 0;

/** Fetch the chosen colouring of the present plan, or of one that is not shown yet. */
export async function recolour(of = plan.value): Promise<void> {
  if (!of) return;
  const mine = ++recolouring;
  const { by, other } = view.value;
  try {
    const { header, payload } = await api.colouring(of.id, by, beside(by, other));
    if (mine !== recolouring) return;
    colouring.value = { legend: header, codes: new Uint8Array(payload) };
  } catch (failure) {
    if (!(failure instanceof Overtaken)) failed(failure);
  }
}

/** Count changes against another plan from now on. */
export function countAgainst(id: string): void {
  reference.value = id;
  replan(false);
}

export async function refreshPins(): Promise<void> {
  try {
    pins.value = (await api.pins()).map(completed);
  } catch (failure) {
    failed(failure);
  }
}

export async function pin(label: string): Promise<void> {
  if (!plan.value) return;
  try {
    pins.value = (await api.pin(plan.value.id, label)).map(completed);
  } catch (failure) {
    failed(failure);
  }
}

export async function unpin(id: string): Promise<void> {
  try {
    pins.value = (await api.unpin(id)).map(completed);
    if (reference.value === id) reference.value = first.value?.id ?? null;
  } catch (failure) {
    failed(failure);
  }
}
