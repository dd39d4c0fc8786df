import { failureOf } from "../../outgoing/exchange-attempt.ts";

/** Names of errors that say nothing of what went wrong. */
const unspeaking = new Set(["Error", "TypeError", "SyntaxError", "Unknown", "UnknownError"]);

/**
 * A short code for why a call of another service failed: the code that it answered, its status
 * without one, or why there was no connection. The service chose the code, so it counts only when it
 * has the form of one.
 */
export function failureReason(error: unknown): string {
  const { name, status } = partsOf(error);
  if (/^\w[\w.]{0,63}$/.test(name) && !unspeaking.has(name)) return name;
  if (status !== undefined) return `status_${status}`;
  return error instanceof Error && "code" in error ? failureOf(error) : "unknown_error";
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
