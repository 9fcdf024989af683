/** How sliders move: discounts by how far they look ahead, prices by factors. */

/** A slider has these many steps. */
export const STEPS = 200;
const FARTHEST_STEPS = 10_000;
/** That the slider has, and that may be typed; plans beyond take long, and certify little. */
export const LARGEST_GAMMA = 1 - 1 / FARTHEST_STEPS;
const LEAST_PRICE = 1e-4;
const MOST_PRICE = 1e4;

/** How many steps ahead a discount looks, 1 / (1 - gamma). */
export function stepsAhead(gamma: number): number {
  return 1 / (1 - gamma);
}

/** Slider place 0..STEPS to a discount: even steps are even factors of looking ahead. */
export function gammaAt(place: number): number {
  const steps = FARTHEST_STEPS ** (place / STEPS);
  return rounded(1 - 1 / steps, steps);
}

export function placeOfGamma(gamma: number): number {
  const steps = Math.min(Math.max(stepsAhead(Math.min(gamma, 1 - 1e-9)), 1), FARTHEST_STEPS);
  return Math.round((Math.log(steps) / Math.log(FARTHEST_STEPS)) * STEPS);
}

/** As many digits as it takes to tell the steps of the slider apart: 0.99, 0.9983. */
function rounded(gamma: number, steps: number): number {
  const digits = Math.max(3, Math.ceil(Math.log10(steps)) + 2);
  return Number(gamma.toFixed(digits));
}

/** Slider place to a price; 0 is no price. */
export function priceAt(place: number): number {
  if (place <= 0) return 0;
  return Number((LEAST_PRICE * (MOST_PRICE / LEAST_PRICE) ** (place / STEPS)).toPrecision(3));
}

export function placeOfPrice(price: number): number {
  if (price <= 0) return 0;
  const share = Math.log(price / LEAST_PRICE) / Math.log(MOST_PRICE / LEAST_PRICE);
  return Math.round(Math.min(Math.max(share, 1 / STEPS), 1) * STEPS);
}
