/** The server's verbs. Every answer is JSON or framed: a JSON header and a binary payload. */

import type {
  Axis, Comparisons, DataPage, Future, Group, Inspection, Legend, Model, Opening, Place, PlanSummary, Question,
  ServerEvent, TrustPage,
} from "./types";

/** An answer that is not the one asked for; `message` is the server's sentence. */
export class ServerError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

/** A newer question of this tab made this one pointless. */
export class Overtaken extends Error {}

export interface Framed<Header> {
  header: Header;
  payload: ArrayBuffer;
}

const HEADER_LENGTH_BYTES = 4;
/** Status of an answer that nobody waits for: `studio/exchange.py`. */
const OVERTAKEN = 204;

/** Split a framed answer; see `studio/frames.py` for the layout. */
export function unframe<Header>(buffer: ArrayBuffer): Framed<Header> {
  const length = new DataView(buffer).getUint32(0, true);
  const start = HEADER_LENGTH_BYTES + length;
  const text = new TextDecoder().decode(new Uint8Array(buffer, HEADER_LENGTH_BYTES, length));
  return { header: JSON.parse(text) as Header, payload: buffer.slice(start) };
}

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw new Overtaken();
    throw new ServerError("The studio's server does not answer. Is `dac studio` still running?", 0);
  }
  if (response.status === OVERTAKEN) throw new Overtaken();
  if (response.ok) return response;
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  throw new ServerError(answer.error ?? `The server answered ${response.status}.`, response.status);
}

async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}

async function framed<Header>(path: string, options?: RequestInit): Promise<Framed<Header>> {
  return unframe<Header>(await (await request(path, options)).arrayBuffer());
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

const id = encodeURIComponent;

export interface PlanRequest {
  question: Question;
  tab: string;
  sequence: number;
  against: string | null;
  colouring: string;
  other: string | null;
}

export const api = {
  model: () => json<Model>("api/model"),
  opening: () => json<Opening>("api/opening"),
  axes: () => json<Axis[]>("api/axes"),
  axis: (axis: string) => framed<{ low: number; high: number }>(`api/axes/${id(axis)}`),
  plan: (asked: PlanRequest, signal?: AbortSignal) =>
    framed<{ plan: PlanSummary; legend: Legend }>("api/plans", { ...post(asked), ...(signal ? { signal } : {}) }),
  summary: (plan: string) => json<PlanSummary>(`api/plans/${id(plan)}`),
  colouring: (plan: string, by: string, other: string | null) =>
    framed<Legend>(`api/plans/${id(plan)}/colouring?by=${id(by)}${other ? `&other=${id(other)}` : ""}`),
  pins: () => json<PlanSummary[]>("api/pins"),
  pin: (plan: string, label: string) => json<PlanSummary[]>("api/pins", post({ plan, label })),
  unpin: (plan: string) => json<PlanSummary[]>(`api/pins/${id(plan)}`, { method: "DELETE" }),
  compare: (left: string, right: string) =>
    json<Comparisons>(`api/compare?left=${id(left)}&right=${id(right)}`),
  inspect: (plan: string, place: Place) => json<Inspection>("api/inspect", post({ plan, ...place })),
  group: (plan: string, polygon: { x: string; y: string; points: [number, number][] }) =>
    json<Group>("api/inspect/group", post({ plan, polygon })),
  imagine: (plan: string, place: Place, steps: number) =>
    json<Future>("api/imagine", post({ plan, ...place, steps })),
  data: (plan: string) => json<DataPage>(`api/data?plan=${id(plan)}`),
  trust: (plan: string) => json<TrustPage>(`api/trust?plan=${id(plan)}`),
  estimate: (plan: string) => json<{ job: string }>("api/trust/estimate", post({ plan })),
  cancel: (job: string) => request(`api/jobs/${id(job)}`, { method: "DELETE" }),
  export: (what: string, plan: string, name: string) =>
    json<{ name: string }>("api/export", post({ what, plan, name })),
};

/** Where the server draws the map: without WebGL2, side by side, and for keeping. */
export function mapPicture(query: Record<string, string | number>): string {
  const text = Object.entries(query).map(([key, value]) => [key, String(value)]);
  return `api/map.png?${new URLSearchParams(text)}`;
}

/** Listen to progress and ends of jobs; the browser connects anew by itself. */
export function listen(tab: string, heard: (event: ServerEvent) => void): EventSource {
  const source = new EventSource(`api/events?tab=${id(tab)}`);
  source.onmessage = (message: MessageEvent<string>) => heard(JSON.parse(message.data) as ServerEvent);
  return source;
}
