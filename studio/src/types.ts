/** The records that the server sends and takes; the Python room `deepaveragers/studio` has the originals. */

export interface Action {
  index: number;
  name: string;
  count: number;
}

/** A column of actions that are rows of numbers. */
export interface ActionColumn {
  index: number;
  name: string;
  low: number;
  high: number;
  /** Whether it has whole numbers only. */
  whole: boolean;
}

/** Numbers in short; 5 and 95 % of them are below low and high. */
export interface Spread {
  mean: number;
  low: number;
  high: number;
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
  /** None where actions are rows. */
  actions: Action[];
  action_columns: ActionColumn[];
  /** Logged actions that a state chooses among, where they are rows. */
  candidates: number;
  /** Share of a column's range by which a row has to differ to count as another action. */
  other_action: number;
  columns: Column[];
  encoder: string;
  k: number;
  reward_columns: string[];
  /** Share of the episodes that did not end, but were cut off. */
  cut_share: number;
  /** Whether re-plans keep up with a slider that moves. */
  live: boolean;
  question: Question;
  /** What every question keeps of a loaded plan, in words. */
  kept: string[];
  /** Of a loaded plan; beside it no worst case can be asked for. */
  action_noise: number;
  findings_count: number | null;
  version: string;
  output?: string | null;
}

/** The first plan, and two axes to see it on. */
export interface Opening {
  plan: PlanSummary;
  axes: string[];
}

export type Comparison = "<" | ">" | "<=" | ">=";

export interface RewardTerm {
  column: string;
  weight: number;
  of: "state" | "next" | "change" | "logged" | "constant";
  when?: { column: string; op: Comparison; value: number } | null;
  /** The one action for which it counts. */
  action?: number | null;
}

export interface Reward {
  terms: RewardTerm[];
  keep_logged: boolean;
}

/** A forbidden range of a column of the actions, ends included. */
export interface Range {
  column: number;
  low: number | null;
  high: number | null;
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
  /** Forbidden where actions are rows. */
  ranges: Range[];
  penalties: Record<string, number>;
  reward: Reward | null;
}

export interface PlanSummary {
  id: string;
  question: Question;
  /** The price of distance that was taken. */
  cost: number;
  status: string;
  /** That planning took, kernels being ready. */
  milliseconds: number;
  /** Milliseconds in which kernels were compiled meanwhile. */
  prepared: number;
  /** Certified bound on the error of every value. */
  error: number | null;
  greedy_loss: number | null;
  start_value: number | null;
  start_states: number;
  mean_value: number | null;
  best_logged_return: number | null;
  /** Mean logged return at the starts, by the same rewards, prices, discount and horizon. */
  start_logged: number | null;
  changed_share: number | null;
  action_shares: number[];
  action_spreads: Spread[];
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
  /** States without a value: how many, and what that means. */
  absent: Category | null;
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

/** What a plan loses under its own question by acting like the other. */
export interface Lost {
  value: number;
  lost: number;
  error: number;
  impossible: number;
}

export interface Comparisons {
  changed_share: number;
  /** Actions by index. */
  changes: { from: number; to: number; states: number; gain: number | null }[];
  /** By column, where actions are rows. */
  shifts: { index: number; lower: number; higher: number; mean: number }[];
  start: { left: number | null; right: number | null };
  /** left_under_right: what the right plan loses by acting like the left. */
  loss: { left_under_right: Lost; right_under_left: Lost } | null;
  note: string;
  groups: {
    conditions: Condition[];
    states: number;
    changed_share: number;
    mostly: string;
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
  /** How far the exact value can lie below and above q. */
  below: number | null;
  above: number | null;
  available: boolean;
  reason?: string | null;
  cases: number;
  /** Of a candidate: to the logged state in which it was taken. */
  distance: number | null;
  best: boolean;
  tie: boolean;
}

export interface Case {
  state: number;
  episode: string;
  step: number;
  time: string | null;
  done: string;
  reward: number | null;
  distance: number;
  /** In the plan's own average; null where it has no part in it. */
  weight: number | null;
  /** By the question's rewards, prices, discount and horizon. */
  return_after: number | null;
  /** Whether cutting the episode off took little from it. */
  return_known: boolean;
  /** "terminated", "truncated" or "open". */
  ended: string;
  /** Of its episode, as logged. */
  last_reward: number | null;
  values: Record<string, number>;
  picture: string | null;
  /** What was logged next after this very state. */
  own: boolean;
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
  /** Of the row before, where the log has none of this state. */
  after: string | null;
  ended: boolean;
  value: number | null;
  /** How far the exact value can lie below and above. */
  below: number | null;
  above: number | null;
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
  value: Spread | null;
  /** Counts of states. */
  actions: { index: number; planned: number; logged: number }[];
  action_columns: { index: number; planned: Spread | null; logged: Spread | null }[];
  columns: { name: string; mean: number | null; overall: number | null; difference: number | null }[];
  rule: Condition[];
  rule_precision: number | null;
  rule_recall: number | null;
}

export interface Future {
  steps: {
    state: number;
    done: string;
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
  /** Edges lie halfway between whole numbers. */
  whole: boolean;
}

export interface Finding {
  id: string;
  code: string;
  severity: "certain" | "likely" | "possible";
  title: string;
  where: string;
  text: string;
  remedy: string;
  states: number | null;
}

export interface DataPage {
  findings: Finding[];
  facts: Record<string, unknown>;
  returns: Bins;
  lengths: Bins;
  /** Counts, and the median distance from states to the action's nearest transition. */
  actions: { index: number; name: string; logged: number; planned: number; distance: number | null }[];
  /** Counts by column, where actions are rows. */
  action_columns: { index: number; name: string; edges: number[]; logged: number[]; planned: number[] }[];
  columns: ({ name: string; unit: string } & Bins)[];
  coverage: { distances: Bins; median: number | null };
}

/** What `da.fit` says of a plan made in this way, on held-out episodes. */
export interface Estimate {
  answer: string;
  shown: boolean;
  better: number | null;
  interval: [number, number] | null;
  level: number;
  behaviour: { value: number; low: number; high: number };
  value: number | null;
  episodes: number;
  notes: string[];
  seconds: number;
}

export interface TrustPage {
  statements: { title: string; text: string; kind: "proved" | "estimated" | "promised" | "unknown" | "assumed" }[];
  behaviour: { mean: number; interval: [number, number]; level: number; episodes: number; steps: number | null };
  /** Promised at the starts, in the model. */
  planned: number | null;
  estimate: Estimate | null;
  guarantee: Record<string, unknown> | null;
  thin: {
    states: number;
    share: number;
    threshold: number;
    colouring: string;
    thinnest: { state: number; action: string; distance: number; episode: string }[];
  };
}

export type ServerEvent =
  | { type: "progress"; job: string; label: string; done: number; total: number }
  | { type: "findings"; count: number }
  | { type: "pins"; pins: PlanSummary[] }
  | { type: "job"; job: string; state: "running" | "done" | "failed" | "cancelled"; result?: unknown; error?: string };

/** Where one stands: a core state, or an observation by column. */
export type Place = { state: number } | { observation: Record<string, number> };
