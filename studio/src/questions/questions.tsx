/** Everything that can be asked of the compiled MDP. Each change is another plan. */

import { actsInRows, model, plan, question } from "../store";
import { number, percent } from "../numbers";
import { ActionFields } from "./actions";
import { LimitFields } from "./limits";
import { Check, Part, Slider } from "./fields";
import { ask } from "./planning";
import { Pins } from "./pins";
import { RewardFields } from "./reward";
import { gammaAt, LARGEST_GAMMA, placeOfGamma, placeOfPrice, priceAt, STEPS, stepsAhead } from "./scales";
import { Suggestions } from "./suggestions";

const USUAL_HORIZON = 50;
const USUAL_PRICE = 1;
/** Of a price that is taken over from the automatic one. */
const PRICE_DIGITS = 4;

export function Questions() {
  const [asked, known] = [question.value, model.value];
  if (!asked || !known) return null;
  const [forbidden, rows] = [asked.forbidden.length + asked.ranges.length, actsInRows()];
  return (
    <section class="questions" aria-label="Questions">
      <Suggestions />
      {known.kept.length > 0 && <p class="help">Of the plan as loaded, every question keeps {known.kept.join(", ")}.</p>}
      <Part title="What counts" open>
        <Gamma />
        <Horizon />
      </Part>
      <Part title="Actions" open note={forbidden ? `${forbidden} forbidden` : ""}>
        {rows ? <LimitFields /> : <ActionFields />}
      </Part>
      <Part title="Caution" open>
        {!rows && <Slip />}
        {known.action_noise === 0 && <WorstCase />}
        <SupportField />
      </Part>
      <Part title="Another reward" open={asked.reward !== null} note={asked.reward ? "changed" : ""}>
        <RewardFields />
      </Part>
      <Part title="How cases are averaged" open={asked.cost !== null || asked.k !== null}>
        <Neighbours />
        <Cost />
      </Part>
      <Pins />
    </section>
  );
}

function Gamma() {
  const gamma = question.value!.gamma;
  const largest = Math.max(LARGEST_GAMMA, model.value!.question.gamma);
  return (
    <Slider
      label="Discount (gamma)" value={gamma} low={0} high={largest} step={0.001}
      tooHigh={`Gamma must be below 1; ${largest} is the largest here. To count all steps the same, plan for a fixed number of steps (horizon).`}
      scale={{ toPlace: placeOfGamma, toValue: gammaAt, steps: STEPS }}
      reading={`looks about ${number(stepsAhead(gamma), 2)} steps ahead`}
      help="How much later rewards count: a reward t steps ahead counts gamma^t."
      changed={gamma !== model.value!.question.gamma} onChange={(value, moving) => ask({ gamma: value }, moving)}
    />
  );
}

function Horizon() {
  const horizon = question.value!.horizon;
  return (
    <div class="field">
      <Check
        label="Plan for a fixed number of steps (horizon)" checked={horizon !== null}
        onChange={(on) => ask({ horizon: on ? USUAL_HORIZON : null })}
      />
      {horizon !== null && (
        <Slider
          label="Horizon" value={horizon} low={1} high={1000} step={1} reading={`${horizon} steps, then nothing counts`}
          help="For a task that stops at a known time." changed={horizon !== model.value!.question.horizon}
          onChange={(value, moving) => ask({ horizon: Math.max(1, Math.round(value)) }, moving)}
        />
      )}
    </div>
  );
}

function Slip() {
  const slip = question.value!.slip;
  return (
    <Slider
      label="Slip" value={slip} low={0} high={1} step={0.01}
      reading={slip === 0 ? "actions are carried out as planned" : `${percent(slip)} of actions come out at random`}
      help="What if the planned action is not always the one that happens?"
      changed={slip !== model.value!.question.slip} onChange={(value, moving) => ask({ slip: value }, moving)}
    />
  );
}

function WorstCase() {
  const worst = question.value!.worst_case;
  return (
    <Slider
      label="Worst case" value={worst} low={0} high={1} step={0.01}
      reading={worst === 0 ? "comparable cases are averaged" : `the worst comparable case counts ${percent(worst)}`}
      help="How much weight the worst of the comparable cases gets."
      changed={worst !== model.value!.question.worst_case}
      onChange={(value, moving) => ask({ worst_case: value }, moving)}
    />
  );
}

function SupportField() {
  const support = question.value!.support;
  return (
    <Slider
      label="Support" value={support} low={0} high={1} step={0.01}
      reading={support === 0
        ? "any action is allowed anywhere"
        : `only actions taken at least ${percent(support)} as often as the usual one${actsInRows() ? " (or one near it)" : ""}`}
      help="Stay near what the data show in states like this one."
      changed={support !== model.value!.question.support}
      onChange={(value, moving) => ask({ support: value }, moving)}
    />
  );
}

function Neighbours() {
  const most = model.value!.k;
  const asked = question.value!;
  const k = asked.k ?? most;
  const rows = actsInRows();
  const what = rows ? "state" : "case";
  return (
    <>
      <Slider
        label="Neighbours (k)" value={k} low={1} high={most} step={1}
        reading={k === 1 ? `the nearest ${what} alone` : `the ${k} nearest ${what}s ${rows ? "to where an action leads" : "of each action"}`}
        help={`How many comparable ${what}s are averaged; ${most} were compiled.`}
        changed={asked.k !== model.value!.question.k}
        onChange={(value, moving) => ask({ k: Math.round(value) === most ? null : Math.round(value) }, moving)}
      />
      <label class="choice wide">
        <span>Nearer cases</span>
        <select
          value={asked.weighting}
          onChange={(event) => ask({ weighting: event.currentTarget.value === "uniform" ? "uniform" : "inverse" })}
        >
          <option value="inverse">count more</option>
          <option value="uniform">count the same</option>
        </select>
      </label>
    </>
  );
}

function Cost() {
  const cost = question.value!.cost;
  const automatic = automaticPrice();
  const own = automatic === null ? (model.value!.question.cost ?? USUAL_PRICE) : Number(automatic.toPrecision(PRICE_DIGITS));
  return (
    <div class="field">
      <Check
        label={`Price of distance (cost): automatic${automatic === null ? "" : ` (${number(automatic, 3)})`}`}
        checked={cost === null} onChange={(on) => ask({ cost: on ? null : own })}
      />
      {cost !== null && (
        <Slider
          label="Cost" value={cost} low={0} high={1e12} step={0.01}
          scale={{ toPlace: placeOfPrice, toValue: priceAt, steps: STEPS }}
          reading={cost === 0 ? "distance to the data costs nothing" : `one unit of distance costs ${number(cost, 3)}`}
          help="What it costs to lean on cases that are far away; the paper's C."
          changed={cost !== model.value!.question.cost} onChange={(value, moving) => ask({ cost: value }, moving)}
        />
      )}
    </div>
  );
}

/** The price that the present plan found by itself; null where it was given. */
function automaticPrice(): number | null {
  const known = plan.value;
  return known && known.question.cost === null && question.value!.cost === null ? known.cost : null;
}
