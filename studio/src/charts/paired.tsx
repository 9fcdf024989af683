/** Two shares per name, one bar above the other. */

import { percent } from "../numbers";

interface Props {
  names: string[];
  first: (number | null)[];
  second: (number | null)[];
  labels: [string, string];
}

export function PairedBars({ names, first, second, labels }: Props) {
  return (
    <table class="paired">
      <thead>
        <tr><th scope="col">Action</th><th scope="col" class="figure one">{labels[0]}</th><th scope="col" class="figure two">{labels[1]}</th><td /></tr>
      </thead>
      <tbody>
        {names.map((name, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td class="figure one">{percent(first[index])}</td>
            <td class="figure two">{percent(second[index])}</td>
            <td class="bar-cell">
              <svg class="bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                <rect class="one" x={0} y={0} width={100 * (first[index] ?? 0)} height={5} />
                <rect class="two" x={0} y={6} width={100 * (second[index] ?? 0)} height={5} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
