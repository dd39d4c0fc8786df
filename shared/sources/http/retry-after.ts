const wholeSeconds = /^\d+$/;
/** Matches an HTTP date. `Date.parse` alone would also accept many other formats. */
const httpDate = /^[A-Z][a-z]+, .+ GMT$/;
/** The longest accepted wait, in milliseconds: a day. */
const waitMsMax = 24 * 60 * 60 * 1_000;

/**
 * Parses a `Retry-After` header, in seconds or as an HTTP date. Returns the wait in milliseconds,
 * from 0 to one day. Returns undefined for a missing or invalid header.
 */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (wholeSeconds.test(text)) return Math.min(waitMsMax, Number(text) * 1_000);
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(waitMsMax, Math.max(0, at - now.getTime()));
}
