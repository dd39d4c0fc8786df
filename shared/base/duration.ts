const unitSeconds = new Map([
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/**
 * Parses a duration of 1 to 999,999 whole minutes, hours or days, such as `15m`, `6h` or `7d`.
 * Returns the duration in seconds. Returns undefined for any other string.
 */
export function secondsOf(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})([mhd])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (unitSeconds.get(match[2] ?? "") ?? 0);
}
