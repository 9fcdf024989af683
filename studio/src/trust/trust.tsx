/** What is proved, what is estimated and what is assumed. */

import { useSignal } from "@preact/signals";

import { api } from "../api";
import { Intervals } from "../charts/intervals";
import { useFetched } from "../fetched";
import { failed, finished, jobs, look, plan, stale } from "../store";
import type { TrustPage } from "../types";
import { Waiting } from "../waiting";
import { count, percent } from "../numbers";

const KINDS: Record<string, string> = {
  proved: "Proved", estimated: "Estimated", assumed: "Assumed",
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
  const rows = [
    { name: "What is done today", mean: page.behaviour?.mean ?? null, interval: page.behaviour?.interval ?? null },
    ...(page.estimate ? [{ name: "This plan", mean: page.estimate.mean ?? null, interval: page.estimate.interval ?? null }] : []),
  ];
  return (
    <div class="trust">
      <h3>Is the plan better than what is done today?</h3>
      <Intervals rows={rows} />
      {page.estimate?.text && <p>{page.estimate.text}</p>}
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
      {typeof page.guarantee === "string" && <p class="help">{page.guarantee}</p>}
      {page.thin && (
        <>
          <h4>Where more data would help</h4>
          <p>{count(page.thin.states)} states ({percent(page.thin.share)}) are thinly supported.</p>
          <button type="button" onClick={() => look({ by: page.thin!.colouring })}>Show support on the map</button>
        </>
      )}
    </div>
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
    <p>
      <button type="button" class="main" onClick={() => void start()}>
        {known ? "Estimate again" : "Estimate it on held-out episodes"}
      </button>
      <span class="help"> Takes from seconds to minutes; you can go on meanwhile.</span>
    </p>
  );
}
