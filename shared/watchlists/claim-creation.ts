import type { RandomSource } from "../base/clock.ts";
import { conflict, idempotencyKeyReused } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import {
  type IdempotencyRecord,
  type IdempotencyStore,
  keyMemoryMs,
  leaseMs,
  sha256,
  takeOverMs,
} from "./idempotency.ts";

/** The right of one request to create a watchlist with a chosen ID. */
export interface CreationClaim {
  readonly watchlistId: string;
  /**
   * Creation time of the watchlist: the time at which its ID was chosen, even if a later attempt
   * completes the creation.
   */
  readonly claimedAt: Date;
  /** Idempotency record of the request; null if the request has no key. */
  readonly record: IdempotencyRecord | null;
}

/**
 * `claimed`: the caller must create the watchlist. `replay`: an earlier request with the same key
 * created the watchlist, and `answer` is the body of the response to that request.
 */
export type ClaimOutcome =
  | { readonly outcome: "claimed"; readonly claim: CreationClaim }
  | { readonly outcome: "replay"; readonly answer: string };

/**
 * Claims the creation of a watchlist, and chooses the ID of the watchlist. A repeated request with
 * the same idempotency key gets the stored response. If the first request failed, the repeated
 * request takes over the creation (specification, section "Idempotency rules"). A request without a
 * key always claims a new creation.
 * @throws 409 while another request with the key is in progress; 422 if the key was used with
 * another body
 */
export async function claimCreation(
  request: {
    readonly accountId: string;
    readonly key: string | undefined;
    readonly bodyHash: string;
    readonly now: Date;
  },
  { keys, random }: { readonly keys: IdempotencyStore; readonly random: RandomSource },
): Promise<ClaimOutcome> {
  const { accountId, key, bodyHash, now } = request;
  const watchlistId = newId("watchlist", now, random);
  if (key === undefined) {
    return { outcome: "claimed", claim: { watchlistId, claimedAt: now, record: null } };
  }
  const wanted: IdempotencyRecord = {
    accountId,
    keyHash: sha256(key),
    bodyHash,
    owner: Buffer.from(random.bytes(12)).toString("hex"),
    leaseUntil: new Date(now.getTime() + leaseMs),
    watchlistId,
    claimedAt: now,
    expiresAt: new Date(now.getTime() + keyMemoryMs),
    answer: null,
  };
  const foundRecord = await keys.open(wanted, now);
  if (foundRecord.owner === wanted.owner) return claimedOutcome(foundRecord);
  if (foundRecord.bodyHash !== bodyHash) throw idempotencyKeyReused();
  if (foundRecord.answer !== null) return { outcome: "replay", answer: foundRecord.answer };
  if (foundRecord.leaseUntil > now) throw inFlight();
  const takenOver = takenOverFrom(foundRecord, wanted);
  if (!(await keys.takeOver(takenOver, foundRecord.owner))) throw inFlight();
  return claimedOutcome(takenOver);
}

/**
 * Returns the record of an attempt that takes over an abandoned creation. If the creation time is
 * less than `takeOverMs` ago, keeps the watchlist ID and creation time of the abandoned attempt.
 * Otherwise uses a new ID and time, because the abandoned creation may be purged.
 */
function takenOverFrom(abandoned: IdempotencyRecord, wanted: IdempotencyRecord): IdempotencyRecord {
  const isSoon = wanted.claimedAt.getTime() - abandoned.claimedAt.getTime() < takeOverMs;
  if (!isSoon) return wanted;
  return { ...wanted, watchlistId: abandoned.watchlistId, claimedAt: abandoned.claimedAt };
}

const claimedOutcome = (record: IdempotencyRecord): ClaimOutcome => ({
  outcome: "claimed",
  claim: { watchlistId: record.watchlistId, claimedAt: record.claimedAt, record },
});

/**
 * Returns the error 409 for a request with the same idempotency key as another request in progress.
 */
export const inFlight = (): Error =>
  conflict("A request with this idempotency key is in progress. Try again in a minute.");
