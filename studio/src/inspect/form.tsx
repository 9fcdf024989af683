/** An observation typed in, by the names, units and ranges of the data. */

import { model, typed } from "../store";
import type { Choice, Column } from "../types";
import { number } from "../numbers";

export function ObservationForm() {
  const columns = model.value?.columns ?? [];
  const values = typed.value;
  if (!values) return null;
  const set = (change: Record<string, number>) => (typed.value = { ...values, ...change });
  const covered = new Set(columns.flatMap((column) => choiceColumns(column).filter((name) => name !== column.name)));
  return (
    <form class="typed" onSubmit={(event) => event.preventDefault()} aria-label="Observation">
      <div class="head">
        <h3>An observation of your own</h3>
        <button type="button" class="quiet" onClick={() => (typed.value = null)}>Let go</button>
      </div>
      <div class="grid">
        {columns.filter((column) => !covered.has(column.name)).map((column) => (
          <Field key={column.name} column={column} values={values} onChange={set} />
        ))}
      </div>
    </form>
  );
}

function Field({ column, values, onChange }: {
  column: Column; values: Record<string, number>; onChange: (change: Record<string, number>) => void;
}) {
  if (column.choices && column.choices.length > 0) return <Choose column={column} choices={column.choices} values={values} onChange={onChange} />;
  const value = values[column.name];
  const outside = value < column.low || value > column.high;
  const typedIn = (text: string) => {
    const wanted = Number(text);
    if (text.trim() !== "" && Number.isFinite(wanted)) onChange({ [column.name]: wanted });
  };
  if (column.kind === "flag") {
    return (
      <label class="flag">
        <input type="checkbox" checked={value > 0.5} onChange={(event) => onChange({ [column.name]: event.currentTarget.checked ? 1 : 0 })} />
        <span>{column.name}</span>
      </label>
    );
  }
  return (
    <label class={outside ? "outside" : ""}>
      <span class="name">{column.name}{column.unit ? <small> {column.unit}</small> : null}</span>
      <input type="number" step="any" value={Number(value.toPrecision(6))} onChange={(event) => typedIn(event.currentTarget.value)} />
      <span class="help">{outside ? "outside " : ""}{number(column.low, 3)} … {number(column.high, 3)}</span>
    </label>
  );
}

function Choose({ column, choices, values, onChange }: {
  column: Column; choices: Choice[]; values: Record<string, number>; onChange: (change: Record<string, number>) => void;
}) {
  const chosen = choices.findIndex((choice) => Object.entries(choice.values).every(([name, value]) => values[name] === value));
  return (
    <label>
      <span class="name">{column.name.split("=")[0]}</span>
      <select value={chosen} onChange={(event) => onChange(choices[Number(event.currentTarget.value)]?.values ?? {})}>
        {chosen < 0 && <option value={-1}>–</option>}
        {choices.map((choice, place) => <option key={choice.label} value={place}>{choice.label}</option>)}
      </select>
      <span class="help">from the data</span>
    </label>
  );
}

function choiceColumns(column: Column): string[] {
  return [...new Set((column.choices ?? []).flatMap((choice) => Object.keys(choice.values)))];
}
