/** What is proved, estimated, promised and assumed. */

import { useSignal } from "@preact/signals";

import { api } from "../api";
import { Intervals } from "../charts/intervals";
import { useFetched } from "../fetched";
import { select } from "../map/map";
import { failed, finished, jobs, look, plan, stale } from "../store";
import type { TrustPage } from "../types";
import { Waiting } from "../waiting";
import { count, number, percent } from "../numbers";

const KINDS: Record<string, string> = {
  proved: "Proved", estimated: "Estimated", promised: "Promised", unknown: "Nothing known", assumed: "Assumed",
};

export function Trust() {
  const page = useFetched<TrustPage>(() => {
    const [id, old] = [plan.value?.id, stale.value, finished.value];
    if (!id) return null;
    return old ? "keep" : api.trust(id);
  });
  return <Waiting of={page.value}>{(found) => <Found page={found} />}</Waiting>;
}

function Found({ page }: { page: TrustPage }) {
  return (
    <div class="trust">
      <h3>Is the plan better than what is done today?</h3>
      <Judgement page={page} />
      <EstimateButton known={page.estimate !== null} />
      <h4>What is behind it</h4>
      <ul class="statements">
        {page.statements.map((statement) => (
          <li key={statement.title} class={statement.kind}>
            <span class="tag">{KINDS[statement.kind] ?? statement.kind}</span>
            <b>{statement.title}</b>
            <p>{statement.text}</p>
          </li>
        ))}
      </ul>
      <Thin thin={page.thin} />
    </div>
  );
}

function Judgement({ page }: { page: TrustPage }) {
  const { behaviour, estimate } = page;
  if (!estimate) {
    return (
      <>
        <Intervals rows={[{ name: "What is done today", mean: behaviour.mean, interval: behaviour.interval, level: behaviour.level }]} />
        <p class="help">Earned per episode in the log{behaviour.steps !== null && `, in its first ${behaviour.steps} steps`}, under this question. The model's own promise is no evidence; held-out episodes are.</p>
      </>
    );
  }
  return (
    <>
      <p class={`judged ${estimate.shown ? "shown" : ""}`}>{estimate.answer}</p>
      <Intervals
        rows={[
          { name: "What is done today", mean: estimate.behaviour.value, interval: [estimate.behaviour.low, estimate.behaviour.high], level: estimate.level },
          { name: "A plan made like this", mean: estimate.value, interval: null },
        ]}
      />
      <Intervals rows={[{ name: "Difference", mean: estimate.better, interval: estimate.interval, level: estimate.level }]} zero />
      <p class="help">Episodes that the log cuts off are completed by the judges.</p>
      {estimate.notes.map((note) => <p class="help" key={note}>{note}</p>)}
    </>
  );
}

function Thin({ thin }: { thin: TrustPage["thin"] }) {
  return (
    <>
      <h4>Where more data would help</h4>
      <p>{thin.states > 0 ? `In ${count(thin.states)} states (${percent(thin.share)})` : "Nowhere"} the planned action leans on cases farther than {number(thin.threshold, 3)}.</p>
      <p><button type="button" onClick={() => look({ by: thin.colouring })}>Show distances on the map</button></p>
      {thin.thinnest.length > 0 && (
        <table>
          <thead><tr><th scope="col">State</th><th scope="col">Action to try</th><th scope="col" class="figure">Distance</th></tr></thead>
          <tbody>
            {thin.thinnest.map((place) => (
              <tr key={`${place.state} ${place.action}`}>
                <td><button type="button" class="link" onClick={() => select(place.state)}>{count(place.state)}</button></td>
                <td>{place.action}</td>
                <td class="figure">{number(place.distance, 3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function EstimateButton({ known }: { known: boolean }) {
  const job = useSignal<string | null>(null);
  const running = jobs.value.find((entry) => entry.job === job.value);
  const start = async () => {
    const id = plan.value?.id;
    if (!id) return;
    try {
      job.value = (await api.estimate(id)).job;
    } catch (failure) {
      failed(failure);
    }
  };
  const stop = () => void api.cancel(job.value!).catch(failed);
  if (running) {
    return (
      <p class="running">
        <progress value={running.done} max={Math.max(running.total, 1)} aria-label={running.label} /> {running.label}{" "}
        <button type="button" class="quiet" onClick={stop}>Cancel</button>
      </p>
    );
  }
  return (
    <>
      <button type="button" class="main" onClick={() => void start()}>
        {known ? "Estimate again" : "Estimate it on held-out episodes"}
      </button>
      <p class="help">Takes from seconds to minutes; you can go on meanwhile.</p>
    </>
  );
}
