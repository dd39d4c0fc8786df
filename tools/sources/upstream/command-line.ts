/** Parses options of the upstream check and the reference server, and runs their commands. */

/**
 * Returns the value of the environment variable `name`; undefined if `name` is undefined.
 * @throws Error if the variable is empty or not set
 */
export function secretFrom(
  name: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (name === undefined) return undefined;
  const secret = environment[name];
  if (!secret)
    throw new Error(
      `--secret-env: the environment variable ${name} must contain the secret, but it is empty or not set. Set it.`,
    );
  return secret;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses the value of an integer option; `from` and `to` are inclusive.
 * @throws Error if the string is not an integer in this range
 */
export function wholeNumberFrom(option: string, text: string, { from, to }: Range): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < from || value > to) {
    throw new Error(`${option} must be an integer from ${from} to ${to} (got "${text}").`);
  }
  return value;
}
