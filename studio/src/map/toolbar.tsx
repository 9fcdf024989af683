/** What the map shows: colour, axes, tools. */

import type { Signal } from "@preact/signals";

import { axes, hidden, look, model, pins, rectangle, reference, view } from "../store";
import { zoomBy, ZOOM_STEP, type Tool } from "./gestures";
import { positions } from "./positions";
import type { Size } from "./view";

type Named = [string, string];

const ACTIONS: Named[] = [["action", "planned action"], ["logged", "logged action"]];
const COLOURINGS: Named[] = [
  ["gap", "gap between the best two"],
  ["support", "distance to the data"],
  ["reward", "reward"],
];

const COMPARING: Named[] = [
  ["changed", "action changed against"],
  ["difference", "value less that of"],
];

/** What a map can be coloured by: alone, and beside another plan. */
function colourings(): { alone: Named[]; beside: Named[] } {
  const columns = model.value?.action_columns ?? [];
  const of = (kind: string, words: string): Named[] =>
    columns.map((column) => [`${kind}:${column.index}`, words.replace("*", column.name)]);
  const actions = columns.length > 0 ? [...of("action", "planned *"), ...of("logged", "logged *")] : ACTIONS;
  return {
    alone: [["value", "value"], ...actions, ...COLOURINGS],
    beside: [...COMPARING, ...of("shift", "planned * less that of")],
  };
}

export function Choices() {
  return (
    <div class="toolbar" role="group" aria-label="What the map shows">
      <ColourBy />
      <AxisChoice field="x" label="x" />
      <AxisChoice field="y" label="y" />
    </div>
  );
}

/** Buttons in the corner of the map. */
export function Tools({ tool, size, onVisible }: { tool: Signal<Tool>; size: Size; onVisible: () => void }) {
  return (
    <div class="tools">
      <span class="buttons" role="group" aria-label="Tool">
        <button type="button" aria-pressed={tool.value === "pan"} onClick={() => (tool.value = "pan")}>Move</button>
        <button
          type="button" aria-pressed={tool.value === "lasso"} onClick={() => (tool.value = "lasso")}
          title="Draw around states (or hold Shift and drag)"
        >
          Lasso
        </button>
        <button type="button" onClick={onVisible} title="Take all states in view as a group">In view</button>
      </span>
      <span class="buttons" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out" onClick={() => zoomBy(1 / ZOOM_STEP, size)}>−</button>
        <button type="button" aria-label="Zoom in" onClick={() => zoomBy(ZOOM_STEP, size)}>+</button>
        <button type="button" onClick={() => (rectangle.value = positions.value?.whole ?? null)}>All</button>
      </span>
    </div>
  );
}

/** The plan that two colourings compare with, by its name. */
export function otherPlan(): string {
  const other = pins.value.find((pin) => pin.id === (view.value.other ?? reference.value));
  return other ? `“${other.pinned}”` : "the first plan";
}

function ColourBy() {
  const by = view.value.by;
  const { alone, beside } = colourings();
  const known = [...alone, ...beside].some(([id]) => id === by);
  const choose = (event: Event) => {
    hidden.value = new Set();
    look({ by: (event.currentTarget as HTMLSelectElement).value });
  };
  return (
    <label class="choice">
      <span>Colour</span>
      <select value={by} onChange={choose} id="colour-by">
        {alone.map(([id, label]) => <option key={id} value={id}>{label}</option>)}
        {beside.map(([id, label]) => (
          <option key={id} value={id}>{label} {otherPlan()}</option>
        ))}
        {!known && <option value={by}>finding: {by.replace("finding:", "")}</option>}
      </select>
    </label>
  );
}

function AxisChoice({ field, label }: { field: "x" | "y"; label: string }) {
  const columns = axes.value.filter((axis) => axis.kind === "column");
  const components = axes.value.filter((axis) => axis.kind === "component");
  const encoder = model.value?.encoder ?? "";
  return (
    <label class="choice">
      <span>{label}</span>
      <select
        value={view.value[field]} id={`axis-${field}`}
        onChange={(event) => look({ [field]: event.currentTarget.value })}
      >
        {columns.length > 0 && (
          <optgroup label="Columns">
            {columns.map((axis) => <option key={axis.id} value={axis.id}>{axis.label}</option>)}
          </optgroup>
        )}
        {components.length > 0 && (
          <optgroup label={`Main directions of the representation (${encoder})`}>
            {components.map((axis) => (
              <option key={axis.id} value={axis.id}>{axis.label}</option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}
