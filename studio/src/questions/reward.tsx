/** Another reward: a sum of named columns, chosen from lists; nothing typed is ever run as code. */

import { actsInRows, model, question } from "../store";
import type { Comparison, Reward, RewardTerm } from "../types";
import { Check } from "./fields";
import { ask } from "./planning";

const OF: [RewardTerm["of"], string][] = [
  ["next", "after the step"], ["state", "before the step"], ["change", "change in the step"], ["logged", "the logged reward"], ["constant", "a constant"],
];
const OPERATORS: Comparison[] = ["<", "<=", ">", ">="];
/** As many as the server takes: `reward_terms.py`. */
const MOST_TERMS = 32;
const LOGGED: Reward = { terms: [], keep_logged: true };

export function RewardFields() {
  const columns = model.value?.reward_columns ?? [];
  const reward = question.value?.reward ?? LOGGED;
  const set = (next: Reward) => ask({ reward: next.terms.length === 0 && next.keep_logged ? null : next });
  const setTerm = (place: number, change: Partial<RewardTerm>) =>
    set({ ...reward, terms: reward.terms.map((term, index) => (index === place ? { ...term, ...change } : term)) });
  const add = () => set({ ...reward, terms: [...reward.terms, { column: columns[0] ?? "", weight: 0, of: "next", when: null, action: null }] });
  if (columns.length === 0) return <p class="help">Rewards can be changed where observations have columns.</p>;
  return (
    <div class="reward">
      <Check
        label="Keep the logged reward" checked={reward.keep_logged}
        onChange={(on) => set({ ...reward, keep_logged: on })}
      />
      {reward.terms.map((term, place) => (
        <Term
          key={place} term={term} number={place + 1} columns={columns} onChange={(change) => setTerm(place, change)}
          onRemove={() => set({ ...reward, terms: reward.terms.filter((_, index) => index !== place) })}
        />
      ))}
      <button type="button" onClick={add} disabled={reward.terms.length >= MOST_TERMS}>Add a term</button>
      {reward.terms.length > 0 && <p class="help">Each adds a number times a column, or a constant{actsInRows() ? "; “only where” restricts it to some states." : ": −10, “only where” and “only for” make one action dear in some states."}</p>}
      {!reward.keep_logged && reward.terms.length === 0 && <p class="help">Without a term, every reward is 0.</p>}
    </div>
  );
}

interface TermProps {
  term: RewardTerm;
  number: number;
  columns: string[];
  onChange: (change: Partial<RewardTerm>) => void;
  onRemove: () => void;
}

function Term({ term, number, columns, onChange, onRemove }: TermProps) {
  const changeKind = (of: RewardTerm["of"]) => onChange({ of, column: usesColumn(of) ? term.column || columns[0] : "" });
  return (
    <fieldset class="term">
      <legend>Term {number}</legend>
      <Amount label="Times" value={term.weight} onChange={(weight) => onChange({ weight })} />
      {usesColumn(term.of) && <Names label="Column" names={columns} value={term.column} onChange={(column) => onChange({ column })} />}
      <label class="choice">
        <span class="unseen">Taken</span>
        <select value={term.of} onChange={(event) => changeKind(event.currentTarget.value as RewardTerm["of"])}>
          {OF.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
      </label>
      <Check
        label="only where" checked={Boolean(term.when)}
        onChange={(on) => onChange({ when: on ? { column: term.column || columns[0], op: ">", value: 0 } : null })}
      />
      {term.when && <When when={term.when} columns={columns} onChange={(when) => onChange({ when })} />}
      {!actsInRows() && <Doing action={term.action ?? null} onChange={(action) => onChange({ action })} />}
      <button type="button" class="quiet" onClick={onRemove}>Remove</button>
    </fieldset>
  );
}

function Doing({ action, onChange }: { action: number | null; onChange: (action: number | null) => void }) {
  const chosen = (text: string) => onChange(text === "" ? null : Number(text));
  return (
    <label class="choice">
      <span class="unseen">Counts for</span>
      <select value={action ?? ""} onChange={(event) => chosen(event.currentTarget.value)}>
        <option value="">for every action</option>
        {model.value?.actions.map((known) => <option key={known.index} value={known.index}>only for {known.name}</option>)}
      </select>
    </label>
  );
}

function usesColumn(of: RewardTerm["of"]): boolean {
  return of !== "logged" && of !== "constant";
}

function When({ when, columns, onChange }: {
  when: NonNullable<RewardTerm["when"]>; columns: string[]; onChange: (when: NonNullable<RewardTerm["when"]>) => void;
}) {
  return (
    <span class="when">
      <Names label="Condition's column" names={columns} value={when.column} onChange={(column) => onChange({ ...when, column })} />
      <label class="choice">
        <span class="unseen">Comparison</span>
        <select value={when.op} onChange={(event) => onChange({ ...when, op: event.currentTarget.value as Comparison })}>
          {OPERATORS.map((op) => <option key={op} value={op}>{op}</option>)}
        </select>
      </label>
      <Amount label="Condition's number" value={when.value} onChange={(value) => onChange({ ...when, value })} />
    </span>
  );
}

function Names({ label, names, value, onChange }: {
  label: string; names: string[]; value: string; onChange: (name: string) => void;
}) {
  return (
    <label class="choice">
      <span class="unseen">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
}

function Amount({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  const typed = (text: string) => {
    const amount = Number(text);
    if (text.trim() !== "" && Number.isFinite(amount)) onChange(amount);
  };
  return (
    <input
      type="number" step="any" class="exact" aria-label={label} value={value}
      onChange={(event) => typed(event.currentTarget.value)}
    />
  );
}
