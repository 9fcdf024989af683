/** The records that the server sends and takes; the Python room `deepaveragers/studio` has the originals. */

export interface Action {
  index: number;
  name: string;
  count: number;
}

/** One way to fill the columns that came from one text column of the table. */
export interface Choice {
  label: string;
  values: Record<string, number>;
}

export interface Column {
  name: string;
  low: number;
  high: number;
  /** Minimum, quartiles and maximum of the logged values. */
  quantiles: number[];
  kind: "number" | "category" | "flag";
  unit?: string | null;
  choices?: Choice[] | null;
}

export interface Model {
  name: string;
  digest: string;
  states: number;
  transitions: number;
  episodes: number;
  kind: "vector" | "pictures";
  shape: number[];
  actions: Action[];
  columns: Column[];
  encoder: string;
  k: number;
  reward_columns: string[];
  /** Whether re-plans keep up with a slider that moves. */
  live: boolean;
  question: Question;
  plan: PlanSummary;
  findings_count: number | null;
  version: string;
  /** Two axes to begin with. */
  first_axes?: string[] | null;
  output?: string | null;
}

export type Comparison = "<" | ">" | "<=" | ">=";

export interface RewardTerm {
  column: string;
  weight: number;
  of: "state" | "next" | "change" | "logged" | "constant";
  when?: { column: string; op: Comparison; value: number } | null;
}

export interface Reward {
  terms: RewardTerm[];
  keep_logged: boolean;
}

/** What is asked of the compiled MDP: the fields of `da.Objective` that the page offers. */
export interface Question {
  gamma: number;
  cost: number | null;
  k: number | null;
  weighting: "inverse" | "uniform";
  slip: number;
  worst_case: number;
  horizon: number | null;
  support: number;
  forbidden: number[];
  penalties: Record<string, number>;
  reward: Reward | null;
}

export interface PlanSummary {
  id: string;
  question: Question;
  /** The price of distance that was taken. */
  cost: number;
  status: string;
  milliseconds: number;
  /** Certified bound on the error of every value. */
  error: number | null;
  greedy_loss: number | null;
  start_value: number | null;
  start_states: number;
  mean_value: number | null;
  best_logged_return: number | null;
  changed_share: number | null;
  action_shares: number[];
  warnings: string[];
  python: string;
  query: string;
  pinned: string | null;
}

export interface Category {
  index: number;
  name: string;
  count: number;
}

/** What the codes 0..254 of a colouring mean; `missing` is a state without a value. */
export interface Legend {
  by: string;
  label: string;
  kind: "continuous" | "categories" | "diverging";
  low: number | null;
  high: number | null;
  categories: Category[];
  missing: number;
}

export interface Axis {
  id: string;
  label: string;
  kind: "column" | "component";
  low: number;
  high: number;
  explained?: number | null;
}

export interface Condition {
  column: string;
  op: string;
  value: number;
  text: string;
}

export interface Comparisons {
  changed_share: number;
  changes: { from: string; to: string; states: number; gain: number | null }[];
  start: { left: number | null; right: number | null };
  loss: { left_under_right: number | null; right_under_left: number | null };
  groups: {
    conditions: Condition[];
    states: number;
    changed_share: number;
    mostly: { from: string; to: string } | null;
  }[];
}

export interface SeenValue {
  name: string;
  value: number | null;
  percentile: number | null;
  unit?: string | null;
}

export interface ActionValue {
  index: number;
  name: string;
  q: number | null;
  error: number | null;
  available: boolean;
  reason?: string | null;
  cases: number;
  best: boolean;
  tie: boolean;
}

export interface Case {
  state: number;
  episode: string;
  step: number;
  time: string | null;
  action: number;
  reward: number | null;
  distance: number;
  /** In the plan's own average; null where it has no part in it. */
  weight: number | null;
  return_after: number | null;
  /** "terminated", "truncated" or "open". */
  ended: string;
  values: Record<string, number>;
  picture: string | null;
}

export interface Support {
  level: "well" | "thin" | "none";
  words: string;
  score: number;
  distance: number | null;
  typical_distance: number | null;
}

export interface Inspection {
  observation: SeenValue[];
  state: number | null;
  episode: string | null;
  time: string | null;
  ended: boolean;
  value: number | null;
  error: number | null;
  actions: ActionValue[];
  support: Support;
  cases: Case[];
  /** What the cases are, in a sentence. */
  basis: string;
  picture: string | null;
}

export interface Group {
  states: number;
  share: number;
  value: { mean: number | null; low: number | null; high: number | null } | null;
  /** Counts of states. */
  actions: { index: number; planned: number; logged: number }[];
  columns: { name: string; mean: number | null; overall: number | null; difference: number | null }[];
  rule: Condition[];
  rule_precision: number | null;
  rule_recall: number | null;
}

export interface Future {
  steps: {
    state: number;
    action: number;
    value: number | null;
    reward: number | null;
    probability: number | null;
  }[];
  ended: boolean;
  repeats: boolean;
}

export interface Bins {
  edges: number[];
  counts: number[];
}

export interface Finding {
  id: string;
  severity: string;
  title: string;
  text: string;
  remedy?: string | null;
  states: number;
}

export interface DataPage {
  findings: Finding[];
  returns: Bins;
  lengths: Bins;
  actions: { index: number; name: string; logged: number; planned: number | null }[];
  columns: ({ name: string } & Bins)[];
  coverage: Record<string, unknown> | null;
}

export interface TrustPage {
  statements: { title: string; text: string; kind: "proved" | "estimated" | "assumed" }[];
  behaviour: { mean: number | null; interval: [number, number] | null } | null;
  estimate: Estimate | null;
  guarantee: string | Record<string, unknown> | null;
  thin: { states: number; share: number; colouring: string } | null;
}

export interface Estimate {
  mean?: number | null;
  interval?: [number, number] | null;
  better?: number | null;
  text?: string | null;
}

export type ServerEvent =
  | { type: "progress"; job: string; label: string; done: number; total: number }
  | { type: "planned"; plan: PlanSummary }
  | { type: "job"; job: string; state: "done" | "failed" | "cancelled"; result?: unknown; error?: string };

/** Where one stands: a core state, or an observation by column. */
export type Place = { state: number } | { observation: Record<string, number> };

export interface Pin {
  plan: string;
  label: string;
  summary?: PlanSummary;
}
