/** The imagined future: the plan's most likely way through logged states, drawn on the map. */

import { useSignalEffect } from "@preact/signals";

import { api } from "../api";
import { select } from "../map/map";
import { failed, future, plan, stale } from "../store";
import type { Place } from "../types";
import { number } from "../numbers";

const STEPS = 30;
const STEPS_LISTED = 12;

export function FutureSteps({ place }: { place: Place }) {
  const imagine = async () => {
    const id = plan.value?.id;
    if (!id) return;
    try {
      future.value = await api.imagine(id, place, STEPS);
    } catch (failure) {
      failed(failure);
    }
  };
  useSignalEffect(() => {
    // A new plan imagines anew what is on the map.
    if (plan.value?.id && !stale.value && future.peek()) void imagine();
  });
  const steps = future.value?.steps ?? [];
  return (
    <section class="imagined">
      <h4>Imagined future</h4>
      {future.value === null
        ? <button type="button" onClick={() => void imagine()}>Draw it on the map</button>
        : (
          <>
            <p class="help">
              The most likely way through logged states, {steps.length} steps
              {future.value.ended ? ", then an episode ended." : future.value.repeats ? ", then it goes in a circle." : "; it goes on."}{" "}
              <button type="button" class="link" onClick={() => (future.value = null)}>Take it off the map</button>
            </p>
            <ol>
              {steps.slice(0, STEPS_LISTED).map((step, index) => (
                <li key={index}>
                  <button type="button" class="link" onClick={() => select(step.state)}>{step.done}</button>
                  <small> {number(step.value, 3)}</small>
                </li>
              ))}
              {steps.length > STEPS_LISTED && <li class="more">… {steps.length - STEPS_LISTED} more</li>}
            </ol>
          </>
        )}
    </section>
  );
}
