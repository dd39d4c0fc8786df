import { isServiceError } from "../../shared/base/errors.ts";

const regionMissing =
  "No AWS region is set. Set AWS_REGION, for example AWS_REGION=us-east-1. `npm run admin` also accepts --region.";

/**
 * Converts an error to a message for the user of a command, without a stack trace. Explains a
 * missing AWS region and a failed connection.
 */
export function failureMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "Region is missing") return regionMissing;
  // A failed connection has no message, or hides its code in the cause.
  if (error.message === "") return unreachable(error);
  if (error.message === "fetch failed") return unreachable(error.cause);
  // The API does not return causes to clients, but operators may see them.
  return isServiceError(error) && typeof error.cause === "string"
    ? `${error.message} (${error.cause})`
    : error.message;
}

function unreachable(error: unknown): string {
  const code = error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "";
  return `${code || "no connection"}: the endpoint does not respond. Check that the local world, or the network, is up.`;
}
