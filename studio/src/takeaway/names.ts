/** Names of files. */

/** Status of an export under a name that a file has already: `studio/exporting.py`. */
export const TAKEN = 409;

/** A name to propose where one is taken: plan-2 after plan, plan-3 after plan-2. */
export function another(name: string): string {
  const [, stem, number] = /^(.*?)(?:-(\d{1,6}))?$/.exec(name)!;
  return `${stem}-${Number(number ?? 1) + 1}`;
}
