/** Options of the upstream check and the reference server. */

/**
 * Returns the value of an environment variable; undefined without a name.
 * @throws Error if it is empty or not set
 */
export function secretFrom(
  name: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name === undefined) return undefined;
  const secret = environment[name];
  if (!secret) throw new Error(`--secret-env: the variable ${name} is empty or not set`);
  return secret;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses an integer option.
 * @throws Error if the text is not an integer in the range
 */
export function wholeNumberFrom(option: string, text: string, { from, to }: Range): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < from || value > to) {
    throw new Error(`${option} must be an integer from ${from} to ${to} (got "${text}")`);
  }
  return value;
}
