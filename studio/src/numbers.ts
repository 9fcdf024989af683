/** Numbers as people read them. */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A whole number with groups of thousands; -0 is 0. */
export function count(value: number): string {
  return grouped.format(value + 0).replace("-", "−");
}

/** A number to about `digits` significant digits; a dash where there is none. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e7 || size < 1e-4) return value.toExponential(Math.max(digits - 2, 0)).replace("e+", "e").replace(/^-/, "−");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = new Intl.NumberFormat("en-US", { maximumFractionDigits: Math.min(decimals, 6) });
  return text.format(value).replace("-", "−");
}

/** A number on a scale: what is below a thousandth of its span is 0. */
export function onScale(value: number | null, span: number): string {
  return number(value !== null && Math.abs(value) < span / 1000 ? 0 : value, 3);
}

/** A difference, always with its sign. */
export function signed(value: number | null | undefined, digits = 3): string {
  const text = number(value, digits);
  return value !== null && value !== undefined && value > 0 ? `+${text}` : text;
}

/** Certified bounds around a value: one number where they are alike, otherwise how far below and above. */
export function bounds(below: number | null, above: number | null): string {
  const [low, high] = [number(below, 2), number(above, 2)];
  return low === high ? `± ${high}` : `−${low} / +${high}`;
}

/** A share of 1 in percent. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const hundredth = value * 100;
  if (hundredth !== 0 && Math.abs(hundredth) < 0.1) return "< 0.1 %";
  if (hundredth > 99.9 && hundredth < 100) return "> 99.9 %";
  const ends = Math.abs(hundredth) < 10 || (hundredth > 99 && hundredth < 100);
  return `${hundredth.toFixed(ends ? 1 : 0)} %`;
}

/** A duration in the unit that suits it. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return "–";
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`;
}

/** "1 state", "2 states". */
export function plural(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** Counts as shares of their sum. */
export function shares(counts: number[]): number[] {
  const total = counts.reduce((sum, amount) => sum + amount, 0);
  return counts.map((amount) => (total ? amount / total : 0));
}

/** A text cut to so many letters, with an ellipsis where something is missing. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, Math.max(most - 1, 0)).join("").trimEnd()}…` : text;
}

/** When something was logged: a bare number says that it is a time. */
export function logged(time: string): string {
  return /^[-+]?\d+(\.\d+)?$/.test(time) ? `time ${time.replace("-", "−")}` : moment(time);
}

/** A time of the log without what it does not say: 2024-09-22T15:12:00 becomes 2024-09-22 15:12. */
export function moment(time: string): string {
  return time.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::00)?(?:\.0+)?/, "$1 $2");
}
