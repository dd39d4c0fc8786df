/** Returns the UTC day of a time, as `YYYY-MM-DD`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Returns the seconds from a time to the start of the next UTC day, rounded up. */
export const secondsToNextDay = (now: Date): number =>
  Math.ceil((Date.parse(dayOf(now)) + 86_400_000 - now.getTime()) / 1_000);
