interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses the value of an integer option. `from` and `to` are inclusive.
 * @param option name of the option, for the error
 * @throws Error if the string is not an integer in this range
 */
export function wholeNumberFrom(option: string, text: string, { from, to }: Range): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < from || value > to) {
    throw new Error(`${option} must be an integer from ${from} to ${to} (got "${text}").`);
  }
  return value;
}
