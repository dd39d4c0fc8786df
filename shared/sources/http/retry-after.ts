const wholeSeconds = /^\d{1,9}$/;
/** `Date.parse` alone takes far more for a date than HTTP does. */
const httpDate = /^[A-Z][a-z]+, .+ GMT$/;

/**
 * Milliseconds that a `Retry-After` header asks to wait, in either of its forms (seconds or an HTTP
 * date); undefined when it says nothing that can be understood.
 */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (wholeSeconds.test(text)) return Number(text) * 1_000;
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
