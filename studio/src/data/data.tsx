/** The data: what the doctor found, and what is in them. */

import { api } from "../api";
import { Histogram } from "../charts/histogram";
import { PairedBars } from "../charts/paired";
import { useFetched } from "../fetched";
import { hidden, look, model, view } from "../store";
import type { DataPage, Finding } from "../types";
import { Waiting } from "../waiting";
import { count, number, percent, plural } from "../numbers";

export function Data() {
  const page = useFetched(() => api.data());
  return <Waiting of={page.value}>{(found) => <Found page={found} />}</Waiting>;
}

function Found({ page }: { page: DataPage }) {
  const known = model.value!;
  return (
    <div class="data">
      <h3>{plural(known.transitions, "transition")} in {plural(known.episodes, "episode")}</h3>
      <h4>What the doctor found</h4>
      {page.findings.length === 0 && <p class="fine">Nothing. The log looks sound.</p>}
      <ul class="findings">{page.findings.map((finding) => <Entry key={finding.id} finding={finding} />)}</ul>
      <Coverage coverage={page.coverage} />
      <h4>Actions: logged and planned</h4>
      <PairedBars
        names={page.actions.map((action) => action.name)} first={page.actions.map((action) => action.logged)}
        second={page.actions.map((action) => action.planned)} labels={["logged", "planned"]}
      />
      <h4>Episodes</h4>
      <div class="histograms">
        <Histogram bins={page.returns} label="Return" />
        <Histogram bins={page.lengths} label="Length" />
      </div>
      {page.columns.length > 0 && <h4>Columns</h4>}
      <div class="histograms">
        {page.columns.map((column) => <Histogram key={column.name} bins={column} label={column.name} />)}
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
      <p>{finding.text}</p>
      {finding.remedy && <p class="help">{finding.remedy}</p>}
      {finding.states > 0 && (
        <button type="button" aria-pressed={view.value.by === by} onClick={show}>
          Show {plural(finding.states, "state")} on the map
        </button>
      )}
    </li>
  );
}

function Coverage({ coverage }: { coverage: DataPage["coverage"] }) {
  const rows = Object.entries(coverage ?? {}).filter(([, value]) => typeof value === "number" || typeof value === "string");
  if (rows.length === 0) return null;
  return (
    <>
      <h4>Coverage</h4>
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}><th scope="row">{name.replaceAll("_", " ")}</th><td class="figure">{shown(name, value)}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function shown(name: string, value: unknown): string {
  if (typeof value !== "number") return String(value);
  if (name.includes("share")) return percent(value);
  return Number.isInteger(value) ? count(value) : number(value, 3);
}
