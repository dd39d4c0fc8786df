import { ServiceError } from "../../../shared/base/errors.ts";
import type { Difference } from "../rules/difference.ts";
import { unreadable } from "../rules/runs.ts";

/** Runs a check. Returns the difference "unreadable" for a place with a damaged row. */
export async function orUnreadable(
  place: string,
  look: () => Promise<readonly Difference[]>,
): Promise<readonly Difference[]> {
  try {
    return await look();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [unreadable(place)];
  }
}

/**
 * Returns true for an error in a row's content; false for an error of the network or of DynamoDB.
 */
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

/** The prefix of failed assertions about stored rows. */
const brokenInvariant = "Invariant broken";
/** The status of a stored value that breaks a rule for customer input. */
const badRequest = 400;
