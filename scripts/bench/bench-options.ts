/**
 * Parses the value of the option `name`, a number of 0 or more.
 * @throws Error for any other string
 */
export function nonNegativeNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`--${name} must be a number of 0 or more (got "${text}").`);
}

/**
 * Parses the value of the option `name`, a whole number of 1 or more.
 * @throws Error for any other string
 */
export function positiveInteger(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} must be a whole number of 1 or more (got "${text}").`);
}
