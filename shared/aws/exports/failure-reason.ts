import { failureOf } from "../../outgoing/exchange-attempt.ts";

/** Error names that do not identify a cause. */
const genericNames = new Set(["Error", "TypeError", "SyntaxError", "Unknown", "UnknownError"]);

/**
 * Returns a short code for a failed call of another service: its error code, otherwise its HTTP
 * status, otherwise the cause of a failed connection. Uses an error code only if it consists of up
 * to 64 word characters and dots, because the other service chooses it.
 */
export function failureReason(error: unknown): string {
  const { name, status } = partsOf(error);
  if (/^\w[\w.]{0,63}$/.test(name) && !genericNames.has(name)) return name;
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
