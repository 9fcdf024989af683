/** The page: questions on the left, the map in the middle, what is known about it on the right. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { Compare } from "./compare/compare";
import { Data } from "./data/data";
import { Inspect } from "./inspect/inspect";
import { MapView } from "./map/map";
import { count, plural } from "./numbers";
import { Answer } from "./questions/answer";
import { Questions } from "./questions/questions";
import { jobs, look, model, notice, panel, PANELS, plan, planned, theme, type Panel } from "./store";
import { Keep } from "./takeaway/keep";
import { Trust } from "./trust/trust";

const TITLES: Record<Panel, string> = {
  inspect: "Inspect", compare: "Compare", data: "Data", trust: "Trust", keep: "Take away",
};
/** Work shorter than this shows no bar. */
const PROGRESS_AFTER_MS = 1000;
/** Opening takes about as long where models are small; a moving bar would take some of their time. */
const OPENING_PROGRESS_AFTER_MS = 2000;

export function App({ error }: { error: string | null }) {
  if (error !== null) return <main class="failed"><h1>The studio could not start</h1><p role="alert">{error}</p></main>;
  if (!model.value) return <main class="failed"><Opening /></main>;
  return (
    <>
      <a class="skip" href="#map" onClick={(event) => { event.preventDefault(); document.getElementById("map")?.focus(); }}>Go to the map</a>
      <TopBar />
      <div class="page">
        <aside class="left" aria-label="Ask"><Questions /></aside>
        <main class="middle">{plan.value ? <Answer /> : <Opening />}<MapView /></main>
        <aside class="right" aria-label="Look closer"><Panels /></aside>
      </div>
      <Told />
    </>
  );
}

/** Large models take seconds until their first plan is there. */
function Opening() {
  const late = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (late.value = true), OPENING_PROGRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <section class="opening">
      <p role="status">Opening the model and planning for the first time …</p>
      {(late.value || planned.value !== null) && (
        <progress {...(planned.value === null ? {} : { value: planned.value })} max={1} aria-label="Opening" />
      )}
    </section>
  );
}

function TopBar() {
  const known = model.value!;
  return (
    <header class="top">
      <h1><span class="mark" aria-hidden="true" />{known.name}</h1>
      <p class="about">
        {plural(known.states, "state")} · {plural(known.episodes, "episode")} · {known.candidates > 0 ? plural(known.action_columns.length, "action column") : plural(known.actions.length, "action")}
        <span class="aside"> · every point is a logged state; every change of a question is a new certified plan</span>
      </p>
      <Jobs />
      <button type="button" class="quiet" onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}>
        {theme.value === "dark" ? "Light" : "Dark"}
      </button>
    </header>
  );
}

function Panels() {
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent) => {
    const shift = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (shift === 0) return;
    const next = (PANELS.indexOf(panel.value) + shift + PANELS.length) % PANELS.length;
    look({ panel: PANELS[next] });
    list.current?.querySelectorAll<HTMLButtonElement>("[role=tab]")[next]?.focus();
  };
  const findings = model.value?.findings_count ?? 0;
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Look closer" ref={list} onKeyDown={step}>
        {PANELS.map((name) => (
          <button
            key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={panel.value === name}
            aria-controls="panel" tabIndex={panel.value === name ? 0 : -1} onClick={() => look({ panel: name })}
          >
            {TITLES[name]}
            {name === "data" && findings > 0 && <span class="badge" aria-label={`${findings} findings`}>{count(findings)}</span>}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${panel.value}`} tabIndex={0}>
        {panel.value === "inspect" && <Inspect />}
        {panel.value === "compare" && <Compare />}
        {panel.value === "data" && <Data />}
        {panel.value === "trust" && <Trust />}
        {panel.value === "keep" && <Keep />}
      </div>
    </>
  );
}

function Jobs() {
  const turn = useSignal(0);
  useSignalEffect(() => {
    if (jobs.value.length === 0) return undefined;
    const timer = setTimeout(() => turn.value++, PROGRESS_AFTER_MS);
    return () => clearTimeout(timer);
  });
  void turn.value;
  const now = performance.now();
  const long = jobs.value.filter((job) => now - job.since >= PROGRESS_AFTER_MS);
  if (long.length === 0) return null;
  return (
    <div class="jobs" role="status">
      {long.map((job) => (
        <p key={job.job}>
          <span>{job.label}</span> <progress value={job.done} max={Math.max(job.total, 1)} aria-label={job.label} />
        </p>
      ))}
    </div>
  );
}

function Told() {
  const said = notice.value;
  if (!said) return <div class="told-place" role="status" />;
  return (
    <div class="told-place">
      <div class={`told ${said.kind}`} role={said.kind === "error" ? "alert" : "status"}>
        <p>{said.text}</p>
        <button type="button" class="quiet" aria-label="Close this message" onClick={() => (notice.value = null)}>×</button>
      </div>
    </div>
  );
}
