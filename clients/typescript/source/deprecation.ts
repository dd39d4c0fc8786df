const warned = new Set<string>();

/**
 * Emits a Node.js warning if a response marks the call as deprecated. Warns once in each process
 * for each operation and date of removal.
 * @param operation The operation ID.
 * @param headers The headers of the response.
 * @param baseUrl The address of the service.
 */
export function warnOnce(operation: string, headers: Headers, baseUrl: string): void {
  const since = /^@(\d+)$/.exec(headers.get("deprecation") ?? "")?.[1];
  const sunset = headers.get("sunset");
  const key = `${operation} ${sunset}`;
  if (since === undefined || warned.has(key)) return;
  warned.add(key);
  const [, page] = /<([^>]*)>; *rel="deprecation"/.exec(headers.get("link") ?? "") ?? [];
  process.emitWarning(
    [
      `${operation}, or a field that the call uses, has been deprecated since ${dateOf(Number(since) * 1_000)}.`,
      ...(sunset === null ? [] : [`It stops working on ${dateOf(Date.parse(sunset))}.`]),
      ...(page === undefined ? [] : [`See ${new URL(page, baseUrl).href}.`]),
    ].join(" "),
    { type: "DeprecationWarning", code: "RPD_DEPRECATED" },
  );
}

/** Returns the UTC date of a time; `an unknown date` for a time that is not valid. */
const dateOf = (milliseconds: number): string =>
  Number.isFinite(milliseconds) && Math.abs(milliseconds) < 8.64e15
    ? new Date(milliseconds).toISOString().slice(0, 10)
    : "an unknown date";
