const wholeSeconds = /^\d+$/;
/** `Date.parse` alone takes far more for a date than HTTP does. */
const httpDate = /^[A-Z][a-z]+, .+ GMT$/;
/** A source that wants to rest for longer is asked again after a day. */
const waitMsMax = 24 * 60 * 60 * 1_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait, in either of its forms (seconds or an HTTP
 * date), a day at most; undefined when it says nothing that can be understood.
 */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (wholeSeconds.test(text)) return Math.min(waitMsMax, Number(text) * 1_000);
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(waitMsMax, Math.max(0, at - now.getTime()));
}
