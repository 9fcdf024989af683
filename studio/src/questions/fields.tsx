/** The parts of a question: a slider with a number beside it, and a word of help. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { settle } from "./planning";

interface SliderProps {
  label: string;
  /** One plain sentence. */
  help: string;
  /** What the present value means in words. */
  reading: string;
  value: number;
  low: number;
  high: number;
  step: number;
  /** Where the slider is not linear in the value. */
  scale?: { toPlace: (value: number) => number; toValue: (place: number) => number; steps: number };
  changed: boolean;
  disabled?: boolean;
  /** What is said where a larger number than `high` is typed, which is then taken. */
  tooHigh?: string;
  onChange: (value: number, moving: boolean) => void;
  children?: ComponentChildren;
}

export function Slider(props: SliderProps) {
  const id = useId();
  const beyond = useSignal(false);
  const { scale, value, low, high, step } = props;
  const range = scale ? { min: 0, max: scale.steps, step: 1 } : { min: low, max: high, step };
  const valueAt = (text: string) => (scale ? scale.toValue(Number(text)) : Number(text));
  const typed = (field: HTMLInputElement) => {
    const wanted = Number(field.value);
    if (field.value.trim() === "" || !Number.isFinite(wanted)) return;
    const taken = Math.min(Math.max(wanted, low), high);
    beyond.value = wanted > high;
    field.value = String(taken);
    props.onChange(taken, false);
  };
  const moved = (text: string) => {
    beyond.value = false;
    props.onChange(valueAt(text), true);
  };
  return (
    <div class={`field ${props.changed ? "changed" : ""}`}>
      <div class="field-head">
        <label for={id}>{props.label}</label>
        <input
          type="number" class="exact" aria-label={`${props.label}, exact`} value={value} min={low} max={high}
          step="any" disabled={props.disabled ?? false} onChange={(event) => typed(event.currentTarget)}
        />
      </div>
      <input
        id={id} type="range" {...range} value={scale ? scale.toPlace(value) : value}
        aria-valuetext={props.reading} aria-describedby={`${id}-help`} disabled={props.disabled ?? false}
        onInput={(event) => moved(event.currentTarget.value)} onChange={() => settle()}
      />
      {beyond.value && value === high && props.tooHigh && <p class="warning" role="status">{props.tooHigh}</p>}
      <p class="reading">{props.reading}</p>
      <p class="help" id={`${id}-help`}>{props.help}</p>
      {props.children}
    </div>
  );
}

export function Check({ label, checked, onChange }: {
  label: ComponentChildren; checked: boolean; onChange: (on: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A part that can be folded away. */
export function Part({ title, open, note, children }: {
  title: string; open: boolean; note?: string; children: ComponentChildren;
}) {
  return (
    <details class="part" open={open}>
      <summary>
        <span>{title}</span>
        {note && <span class="note">{note}</span>}
      </summary>
      <div class="part-body">{children}</div>
    </details>
  );
}
