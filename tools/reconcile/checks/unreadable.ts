import { ServiceError } from "../../../shared/base/errors.ts";
import type { Difference } from "../rules/difference.ts";
import { unreadable } from "../rules/runs.ts";

/** What a look finds; that the place cannot be read, when something there is damaged. */
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

/** True for what comes of a row's content; false for what the network or the tables refuse. */
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

/** How failed assertions about stored rows begin. */
const brokenInvariant = "Invariant broken";
/** A rule for what customers send that what is stored breaks. */
const badRequest = 400;
