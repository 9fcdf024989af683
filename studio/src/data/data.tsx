/** The data: what the doctor found, and what is in them. */

import { api } from "../api";
import { Histogram } from "../charts/histogram";
import { PairedHistogram } from "../charts/paired_histogram";
import { PairedBars } from "../charts/paired";
import { useFetched } from "../fetched";
import { hidden, look, model, plan, stale, view } from "../store";
import type { DataPage, Finding } from "../types";
import { Waiting } from "../waiting";
import { number, onScale, plural, shares } from "../numbers";

/** As the checks of `doctor/`. */
const LOOKED_AT = "ends and order of episodes, copies, spikes of rewards, columns that are constant, equal or tell the outcome, "
  + "rows whose actions or rewards are shifted, and rare actions";

export function Data() {
  const page = useFetched<DataPage>(() => {
    const [id, old] = [plan.value?.id, stale.value];
    if (!id) return null;
    return old ? "keep" : api.data(id);
  });
  return <Waiting of={page.value}>{(found) => <Found page={found} />}</Waiting>;
}

function Found({ page }: { page: DataPage }) {
  const known = model.value!;
  return (
    <div class="data">
      <h3>{plural(known.transitions, "transition")} in {plural(known.episodes, "episode")}</h3>
      <h4>What the doctor found</h4>
      {page.findings.length === 0 && <p>Nothing in what it looked at: {LOOKED_AT}. Whether the log is enough to plan from is under Trust.</p>}
      <ul class="findings">{page.findings.map((finding) => <Entry key={finding.id} finding={finding} />)}</ul>
      <h4>Actions: logged and planned</h4>
      {page.action_columns.length > 0
        ? <div class="histograms">{page.action_columns.map((column) => <PairedHistogram key={column.index} column={column} />)}</div>
        : (
          <PairedBars
            names={page.actions.map((action) => action.name)} labels={["logged", "planned"]}
            first={shares(page.actions.map((action) => action.logged))}
            second={shares(page.actions.map((action) => action.planned))}
          />
        )}
      <h4>Episodes</h4>
      <div class="histograms">
        <Histogram bins={page.returns} label="Return" />
        <Histogram bins={page.lengths} label="Length" />
      </div>
      <h4>Coverage: distance from a state to the data of its planned action</h4>
      <Histogram bins={page.coverage.distances} label={halfBelow(page.coverage)} />
      {page.columns.length > 0 && <h4>Columns</h4>}
      <div class="histograms">
        {page.columns.map((column) => <Histogram key={column.name} bins={column} label={column.unit ? `${column.name} [${column.unit}]` : column.name} />)}
      </div>
    </div>
  );
}

function Entry({ finding }: { finding: Finding }) {
  const by = `finding:${finding.id}`;
  const show = () => {
    hidden.value = new Set();
    look({ by });
  };
  return (
    <li class={`finding ${finding.severity}`}>
      <div class="finding-head"><b>{finding.title}</b><span class="tag">{finding.severity}</span></div>
      {finding.where && <p class="help">{finding.where}</p>}
      <p>{finding.text}</p>
      {finding.remedy && <p class="help">{finding.remedy}</p>}
      {finding.states !== null && finding.states > 0 && (
        <button type="button" aria-pressed={view.value.by === by} onClick={show}>
          Show {plural(finding.states, "state")} on the map
        </button>
      )}
    </li>
  );
}

function halfBelow({ distances, median }: DataPage["coverage"]): string {
  const middle = onScale(median, distances.edges.at(-1)! - distances.edges[0]);
  if (median === 0) {
    return "Distance, 0 in half of the states";
  }
  return `Distance, half below ${middle === "0" ? number(median, 2) : middle}`;
}
