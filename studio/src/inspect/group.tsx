/** A group of states: what they have in common, what was done there, what the plan does. */

import { api } from "../api";
import { PairedBars } from "../charts/paired";
import { useFetched } from "../fetched";
import { letGo } from "../map/map";
import { actionColumn, actionName, lasso, model, plan, stale } from "../store";
import type { Group, Spread } from "../types";
import { Waiting } from "../waiting";
import { count, number, percent, shares, signed } from "../numbers";

const COLUMNS_LISTED = 8;

export function GroupView() {
  const answer = useFetched<Group>(() => {
    const [group, id, old] = [lasso.value, plan.value?.id, stale.value];
    if (!group || !id || group.states === 0) return null;
    if (old) return "keep";
    return api.group(id, { x: group.x, y: group.y, points: group.polygon });
  });
  const states = lasso.value?.states ?? 0;
  return (
    <div class="group">
      <div class="head">
        <h3>A group of {count(states)} states</h3>
        <button type="button" class="quiet" onClick={letGo}>Let go</button>
      </div>
      {states === 0
        ? <p class="help">Nothing is inside. Draw around some points.</p>
        : <Waiting of={answer.value}>{(group) => <Described group={group} />}</Waiting>}
    </div>
  );
}

function Described({ group }: { group: Group }) {
  return (
    <>
      <p>
        {percent(group.share)} of all states
        {group.value && <>; value {number(group.value.mean)} on average, mostly {number(group.value.low, 3)} to {number(group.value.high, 3)}</>}.
      </p>
      {group.rule.length > 0 && (
        <p class="rule">
          Roughly: {group.rule.map((condition) => condition.text).filter(Boolean).join(" and ")}
          <span class="help"> (holds for {percent(group.rule_recall)} of the group; {percent(group.rule_precision)} of such states are in it)</span>
        </p>
      )}
      <h4>Actions: logged and planned</h4>
      {group.action_columns.length > 0
        ? <ActionColumns group={group} />
        : (
          <PairedBars
            names={group.actions.map((action) => actionName(action.index))}
            first={shares(group.actions.map((action) => action.logged))}
            second={shares(group.actions.map((action) => action.planned))}
            labels={["logged", "planned"]}
          />
        )}
      {group.columns.length > 0 && (
        <>
          <h4>How it differs from all states</h4>
          <table>
            <thead>
              <tr><th scope="col">Column</th><th scope="col" class="figure">Here</th><th scope="col" class="figure">All</th><th scope="col" class="figure">Deviations</th></tr>
            </thead>
            <tbody>
              {group.columns.slice(0, COLUMNS_LISTED).map((column) => <Mean key={column.name} column={column} />)}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}

/** A column's mean in the group and everywhere; of a flag, the share of states that have it. */
function Mean({ column }: { column: Group["columns"][number] }) {
  const known = model.value?.columns.find((one) => one.name === column.name);
  const mean = (value: number | null) => (known?.kind === "flag" ? percent(value) : number(value, 3));
  return (
    <tr>
      <th scope="row">{column.name}{known?.unit && <small> {known.unit}</small>}</th>
      <td class="figure">{mean(column.mean)}</td>
      <td class="figure">{mean(column.overall)}</td>
      <td class="figure">{signed(column.difference, 2)}</td>
    </tr>
  );
}

function ActionColumns({ group }: { group: Group }) {
  return (
    <table>
      <thead><tr><th scope="col">Action</th><th scope="col" class="figure">Logged</th><th scope="col" class="figure">Planned</th></tr></thead>
      <tbody>
        {group.action_columns.map((column) => (
          <tr key={column.index}>
            <th scope="row">{actionColumn(column.index)}</th>
            <td class="figure"><Mostly of={column.logged} /></td>
            <td class="figure"><Mostly of={column.planned} /></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Mostly({ of }: { of: Spread | null }) {
  return of === null ? <>–</> : <>{number(of.mean, 3)}<small> ({number(of.low, 3)} to {number(of.high, 3)})</small></>;
}
