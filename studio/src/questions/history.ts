/** Undo and redo of questions. */

import { same } from "../address";
import type { Question } from "../types";

export interface Past {
  undo: Question[];
  redo: Question[];
}

const MOST_STEPS = 100;

/** A new question was asked: the one before can be undone to, and nothing is left to redo. */
export function asked(past: Past, before: Question, after: Question): Past {
  if (same(before, after)) return past;
  return { undo: [...past.undo, before].slice(-MOST_STEPS), redo: [] };
}

export function undone(past: Past, present: Question): { past: Past; question: Question } | null {
  const question = past.undo[past.undo.length - 1];
  if (!question) return null;
  return { question, past: { undo: past.undo.slice(0, -1), redo: [...past.redo, present] } };
}

export function redone(past: Past, present: Question): { past: Past; question: Question } | null {
  const question = past.redo[past.redo.length - 1];
  if (!question) return null;
  return { question, past: { undo: [...past.undo, present], redo: past.redo.slice(0, -1) } };
}
