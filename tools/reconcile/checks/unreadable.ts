import { ServiceError } from "../../../shared/base/errors.ts";
import type { Difference } from "../rules/difference.ts";
import { unreadable } from "../rules/runs.ts";

/**
 * Runs a check and returns its differences. If a row is damaged, returns only the difference
 * "unreadable" for `place`, the name of what is checked.
 * @throws any other error of the check
 */
export async function orUnreadable(
  place: string,
  check: () => Promise<readonly Difference[]>,
): Promise<readonly Difference[]> {
  try {
    return await check();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [unreadable(place)];
  }
}

/** Returns true if the content of a row caused the error; false for a network or DynamoDB error. */
function isDamage(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === badRequest;
  if (!(error instanceof Error) || "$metadata" in error) return false;
  if (error.message.startsWith(brokenInvariant)) return true;
  if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError) {
    return true;
  }
  const isCompression = "code" in error && /^Z(STD)?_/.test(String(error.code));
  return isCompression || error.name === "ValiError";
}

/** The start of the message when an assertion about a stored row fails. */
const brokenInvariant = "Invariant broken";
/** The status of the error for a stored value that breaks a rule of the API. */
const badRequest = 400;
