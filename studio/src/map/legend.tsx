/** What the colours mean. Categories can be hidden and shown again. */

import { colouring, hidden, theme, view } from "../store";
import type { Category, Legend as Meaning } from "../types";
import { codeColour, css } from "./palette";
import { otherPlan } from "./toolbar";
import { count, number } from "../numbers";

const STEPS = 48;

export function Legend() {
  const legend = colouring.value?.legend;
  if (!legend) return <div class="legend-place" />;
  return (
    <div class="legend" aria-label={`Colours: ${legend.label}`} role="group">
      <span class="legend-title">{legend.label.replace("the other plan", otherPlan())}</span>
      {legend.kind !== "categories" && <Scale legend={legend} />}
      <Categories legend={legend} />
    </div>
  );
}

function Scale({ legend }: { legend: Meaning }) {
  const width = 100 / STEPS;
  return (
    <span class="scale">
      <span>{number(legend.low, 3)}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {Array.from({ length: STEPS }, (_, step) => (
          <rect
            key={step} x={step * width} width={width + 0.3} y={0} height={10}
            fill={css(codeColour(legend, Math.round((step / (STEPS - 1)) * 254), theme.value))}
          />
        ))}
      </svg>
      <span>{number(legend.high, 3)}</span>
    </span>
  );
}

function Categories({ legend }: { legend: Meaning }) {
  const toggle = (index: number) => {
    const next = new Set(hidden.value);
    if (!next.delete(index)) next.add(index);
    hidden.value = next;
  };
  const shown: Category[] = legend.absent ? [...legend.categories, legend.absent] : legend.categories;
  if (shown.length === 0) return null;
  return (
    <span class="categories">
      {shown.map((category) => (
        <button
          key={`${view.value.by} ${category.index}`} type="button" class="category"
          aria-pressed={!hidden.value.has(category.index)} onClick={() => toggle(category.index)}
          title="Show or hide these states"
        >
          <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <circle cx={5} cy={5} r={5} fill={css(codeColour(legend, category.index, theme.value))} />
          </svg>
          {category.name} <small>{count(category.count)}</small>
        </button>
      ))}
    </span>
  );
}
