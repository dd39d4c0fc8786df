const unitSeconds = new Map([
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/**
 * Returns the seconds of a duration in whole minutes, hours or days, such as `15m`; undefined if the
 * text is not one.
 */
export function secondsOf(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})([mhd])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (unitSeconds.get(match[2] ?? "") ?? 0);
}
