/** Which actions may be taken, and what each costs. */

import { css, categoryColour } from "../map/palette";
import { model, plan, question } from "../store";
import { count, percent } from "../numbers";
import { ask } from "./planning";

export function ActionFields() {
  const [asked, known] = [question.value, model.value];
  if (!asked || !known) return null;
  const forbid = (index: number, on: boolean) => {
    const rest = asked.forbidden.filter((action) => action !== index);
    ask({ forbidden: on ? [...rest, index].sort((one, two) => one - two) : rest });
  };
  const price = (index: number, text: string) => {
    const { [String(index)]: _before, ...rest } = asked.penalties;
    const amount = Number(text);
    ask({ penalties: Number.isFinite(amount) && amount !== 0 ? { ...rest, [String(index)]: amount } : rest });
  };
  const left = known.actions.length - asked.forbidden.length;
  return (
    <table class="actions">
      <thead>
        <tr><th scope="col">Action</th><th scope="col">Planned</th><th scope="col">Never</th><th scope="col">Price</th></tr>
      </thead>
      <tbody>
        {known.actions.map((action) => {
          const never = asked.forbidden.includes(action.index);
          return (
            <tr key={action.index} class={never ? "never" : ""}>
              <th scope="row" title={`${count(action.count)} times in the data`}>
                <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                  <circle cx={5} cy={5} r={5} fill={css(categoryColour(action.index))} />
                </svg>
                {action.name}
              </th>
              <td class="figure">{percent(plan.value?.action_shares[action.index])}</td>
              <td>
                <input
                  type="checkbox" checked={never} disabled={!never && left <= 1} aria-label={`Never take ${action.name}`}
                  onChange={(event) => forbid(action.index, event.currentTarget.checked)}
                />
              </td>
              <td>
                <input
                  type="number" step="any" class="exact" placeholder="0" aria-label={`Price of ${action.name}`}
                  value={asked.penalties[String(action.index)] ?? ""}
                  onChange={(event) => price(action.index, event.currentTarget.value)}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
