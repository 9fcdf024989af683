/** What a panel fetches when what it depends on changes; older answers are dropped. */

import { useSignal, useSignalEffect, type Signal } from "@preact/signals";

import { Overtaken } from "./api";

export interface Fetched<T> {
  value: T | null;
  error: string | null;
  waiting: boolean;
}

/** `load` reads signals and returns a promise, null for 'nothing to ask', or "keep" for the present answer. */
export function useFetched<T>(load: () => Promise<T> | null | "keep"): Signal<Fetched<T>> {
  const state = useSignal<Fetched<T>>({ value: null, error: null, waiting: false });
  useSignalEffect(() => {
    let current = true;
    const promise = load();
    if (promise === "keep") return undefined;
    if (promise === null) {
      state.value = { value: null, error: null, waiting: false };
      return undefined;
    }
    state.value = { ...state.peek(), error: null, waiting: true };
    promise.then(
      (value) => current && (state.value = { value, error: null, waiting: false }),
      (failure: unknown) => {
        if (!current || failure instanceof Overtaken) return;
        const text = failure instanceof Error ? failure.message : String(failure);
        state.value = { value: null, error: text, waiting: false };
      },
    );
    return () => {
      current = false;
    };
  });
  return state;
}
