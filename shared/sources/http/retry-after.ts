const wholeSeconds = /^\d{1,9}$/;

/**
 * Milliseconds that a `Retry-After` header asks to wait, in either of its forms (seconds or an HTTP
 * date); undefined when it says nothing that can be understood.
 */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (wholeSeconds.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
