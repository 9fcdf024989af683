/** What stands in a panel until its answer is there. */

import type { ComponentChildren } from "preact";

import type { Fetched } from "./fetched";

export function Waiting<T>({ of, children }: { of: Fetched<T>; children: (value: T) => ComponentChildren }) {
  if (of.error !== null) return <p class="warning" role="alert">{of.error}</p>;
  if (of.value === null) return of.waiting ? <p class="waiting" role="status">Working …</p> : null;
  return <div class={of.waiting ? "refreshing" : ""} aria-busy={of.waiting}>{children(of.value)}</div>;
}
