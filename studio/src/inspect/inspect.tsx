/** One state, a group of states, or an observation that somebody typed. */

import { api } from "../api";
import { useFetched } from "../fetched";
import { actsInRows, future, lasso, look, model, plan, stale, typed, view } from "../store";
import type { ActionValue, Column, Inspection, Place } from "../types";
import { Waiting } from "../waiting";
import { ActionBars } from "./bars";
import { Cases } from "./cases";
import { ObservationForm } from "./form";
import { FutureSteps } from "./future";
import { GroupView } from "./group";
import { Observation } from "./observation";
import { beyondCases } from "./promise";
import { SupportNote } from "./support";
import { bounds, count, logged, number } from "../numbers";
import { letGo } from "../map/map";

const TIES_NAMED = 3;
const subjects = { state: "A state", group: "A group", typed: "Type one in" } as const;

/** What is being looked at. */
function subject(): keyof typeof subjects | null {
  if (view.value.state !== null) return "state";
  if (lasso.value) return "group";
  return typed.value ? "typed" : null;
}

export function Inspect() {
  const chosen = subject();
  return (
    <div class="inspect">
      {chosen === null && <Welcome />}
      {chosen === "state" && <Decision place={{ state: view.value.state! }} />}
      {chosen === "group" && <GroupView />}
      {chosen === "typed" && (
        <>
          <ObservationForm />
          <Decision place={{ observation: typed.value! }} />
        </>
      )}
    </div>
  );
}

/** The median of a column, to a thousandth of its range. */
function middle({ low, high, quantiles }: Column): number {
  const median = quantiles[2] ?? low;
  const step = 10 ** Math.floor(Math.log10((high - low) / 1000));
  return step > 0 ? Number((Math.round(median / step) * step).toPrecision(6)) : median;
}

/** Begin to type an observation, from the present state or from the middle of the data. */
export function typeObservation(from: Inspection | null): void {
  const columns = model.value?.columns ?? [];
  const seen = new Map(from?.observation.map((entry) => [entry.name, entry.value]));
  typed.value = Object.fromEntries(
    columns.map((column) => [column.name, seen.get(column.name) ?? middle(column)]),
  );
  lasso.value = null;
  future.value = null;
  look({ state: null });
}

function Welcome() {
  const pictures = model.value?.kind === "pictures";
  return (
    <div class="welcome">
      <h3>Why would the plan do that?</h3>
      <ul>
        <li><b>Click a point</b> of the map: each is a logged state. See what {actsInRows() ? "its candidate actions are" : "every action is"} worth there, and the cases behind it.</li>
        <li><b>Draw around points</b> with the lasso to describe a group.</li>
        {!pictures && <li><b>Type an observation</b> of your own, and see whether the data know anything like it.</li>}
      </ul>
      {!pictures && <button type="button" class="main" onClick={() => typeObservation(null)}>Type an observation</button>}
      <p class="help">
        On the keyboard: go to the map with Tab, move with the arrow keys, take the state in the middle with Enter.
      </p>
    </div>
  );
}

function Decision({ place }: { place: Place }) {
  const answer = useFetched<Inspection>(() => {
    const [id, old] = [plan.value?.id, stale.value];
    const now: Place | null = view.value.state !== null
      ? { state: view.value.state }
      : typed.value ? { observation: typed.value } : null;
    if (!id || !now) return null;
    return old ? "keep" : api.inspect(id, now);
  });
  return (
    <div class="decision">
      <Waiting of={answer.value}>{(found) => <Found found={found} place={place} />}</Waiting>
    </div>
  );
}

function Found({ found, place }: { found: Inspection; place: Place }) {
  const isState = "state" in place;
  const best = found.actions.find((action) => action.best);
  const doubt = best ? beyondCases(best.q, best.below, found.cases) : "";
  const ties = found.actions.filter((action) => action.tie && !action.best);
  return (
    <>
      {isState && <Head found={found} />}
      <SupportNote support={found.support} />
      <p class="verdict">
        {best ? <>The plan takes <b>{best.name}</b>, worth {number(best.q)} ({bounds(found.below, found.above)}).</> : <>An episode ended here: there is nothing to decide.</>}
        {ties.length > 0 && <> It cannot tell it from {tiedWith(ties)}.</>}
        {best && number(best.q) !== number(found.value) && <> The state is worth {number(found.value)}, slips counted.</>}
      </p>
      {doubt && <p class="warning">{doubt}</p>}
      {found.picture && <img class="seen" src={found.picture} alt="The observation" />}
      {found.actions.length > 0 && best && <ActionBars actions={found.actions} known={found.support.level !== "none"} />}
      <FutureSteps place={place} />
      <Cases cases={found.cases} />
      <Observation observation={found.observation} />
      {isState && model.value?.kind !== "pictures" && (
        <button type="button" onClick={() => typeObservation(found)}>Change these numbers …</button>
      )}
    </>
  );
}

/** Ties by name; of many, how many more. */
function tiedWith(ties: ActionValue[]): string {
  const names = ties.slice(0, TIES_NAMED).map((tie) => tie.name).join("; ");
  return ties.length > TIES_NAMED ? `${names} and ${ties.length - TIES_NAMED} others` : names;
}

function Head({ found }: { found: Inspection }) {
  const where = [found.episode ? `episode ${found.episode}` : "", found.time ? logged(found.time) : found.after ? `after ${logged(found.after)}` : ""];
  return (
    <div class="head">
      <h3>State {count(found.state ?? view.value.state ?? 0)}</h3>
      <span class="where">{where.filter(Boolean).map((part) => <span key={part}>{part}</span>)}</span>
      <button type="button" class="quiet" onClick={letGo}>Let go</button>
    </div>
  );
}
