/** Names of errors that say nothing of what went wrong. */
const unspeaking = new Set(["Error", "TypeError", "SyntaxError", "Unknown", "UnknownError"]);

/**
 * A short code for why a call of somebody else's service failed: the code that it answered, or the
 * status without one. It chose the code, so it is taken only when it looks like one.
 */
export function failureReason(error: unknown): string {
  const { name, status } = partsOf(error);
  if (/^\w{1,64}$/.test(name) && !unspeaking.has(name)) return name;
  return status === undefined ? "unknown_error" : `status_${status}`;
}

function partsOf(error: unknown): { readonly name: string; readonly status?: number } {
  if (!(error instanceof Error)) return { name: "" };
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
      ? metadata.httpStatusCode
      : undefined;
  return { name: error.name, ...(typeof status === "number" ? { status } : {}) };
}
