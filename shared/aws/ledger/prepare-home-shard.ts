import { concurrencyFor } from "../../accounts/account.ts";
import { assert } from "../../base/assert.ts";
import type { Reservation, ReserveOutcome } from "../../credits/ledger.ts";
import { moveHome, cacheShards, type LedgerProcess } from "./process.ts";
import { type AccountRows, readAccountRows, sumsOf } from "./read-shards.ts";
import { releaseExpiredCalls } from "./settle-call.ts";
import type { Shard } from "./shard-row.ts";
import { gatherCredits } from "./transfers.ts";

/** What the attempts of one reservation have found so far. */
export interface Progress {
  /** True once the reservation has released expired holds. */
  readonly hasReleased: boolean;
  /**
   * The account and its shards at the last reading in which the balance was below the credits to
   * reserve; undefined if there was none.
   */
  readonly short: AccountRows | undefined;
  /** True once the shards have been read and none of them had a free slot. */
  readonly wasFull: boolean;
}

/** The progress of a reservation before its first attempt. */
export const noProgress: Progress = { hasReleased: false, short: undefined, wasFull: false };

/** A shard may take the reservation: repeat it with this progress. */
export interface Retry {
  readonly outcome: "retry";
  /** When to repeat it, as in `untilDone`. */
  readonly next: "fresh" | "again";
  readonly progress: Progress;
}

type ReservationNeeds = Pick<Reservation, "accountId" | "holdId" | "credits" | "slot" | "now">;

/**
 * Finds a shard with a free slot and enough credits, and makes it the home shard of this process.
 * Releases expired holds and transfers credits from other shards if necessary. Returns `retry` to
 * repeat the reservation. Returns `insufficient` or `no_slot` if the account lacks the credits or a
 * free slot.
 */
export async function prepareHomeShard(
  process: LedgerProcess,
  reservation: ReservationNeeds,
  { progress, shards: expected }: { readonly progress: Progress; readonly shards: number },
): Promise<Exclude<ReserveOutcome, { outcome: "reserved" }> | Retry> {
  const { accountId, holdId, credits, slot, now } = reservation;
  const rows = await readAccountRows(process, accountId, expected);
  assert(rows !== undefined, "credits belong to an account that exists");
  const { account, shards } = rows;
  cacheShards(process, accountId, shards);
  const holder = shards.find(({ holds }) => holds.has(holdId));
  if (holder !== undefined) {
    // An earlier attempt took effect in this shard, but its response was lost.
    moveHome(process, accountId, holder.number);
    return { outcome: "retry", next: "fresh", progress };
  }
  const after: Progress = { ...progress, hasReleased: true };
  const atOnce: Retry = { outcome: "retry", next: "fresh", progress: after };
  if (!progress.hasReleased) {
    if ((await releaseExpiredCalls(process, { accountId, shards, now })) > 0) return atOnce;
  }
  const { balance } = sumsOf(shards);
  if (balance < credits) {
    return isShort(credits, progress.short, rows)
      ? { outcome: "insufficient", balance }
      : { ...atOnce, progress: { ...after, short: rows } };
  }
  const free = slot ? shards.filter(({ inFlight, slots }) => inFlight < slots) : shards;
  if (free.length === 0) {
    const limit = concurrencyFor(Number(account["lifetime"]));
    // One reading is not enough, because a slot can move between shards while they are read.
    return progress.wasFull || shards.length === 1
      ? { outcome: "no_slot", limit, balance }
      : { ...atOnce, progress: { ...after, wasFull: true } };
  }
  const isReady = await chooseHome(process, reservation, { free, shards });
  return isReady ? atOnce : { ...atOnce, next: "again" };
}

/**
 * Makes one of the shards with a free slot the home shard of this process, and transfers credits to
 * it from all shards if none of them has enough. Returns false if the transfer did not succeed.
 */
async function chooseHome(
  process: LedgerProcess,
  { accountId, credits, slot, now }: ReservationNeeds,
  { free, shards }: Record<"free" | "shards", readonly Shard[]>,
): Promise<boolean> {
  const enough = free.filter((shard) => shard.balance >= credits);
  // Chooses a random slot, not a random shard, so that parallel processes spread over all slots.
  const slots = (enough.length > 0 ? enough : free).flatMap((shard) =>
    Array.from({ length: slot ? shard.slots - shard.inFlight : 1 }, () => shard),
  );
  const { number: to } = oneOf(process, slots);
  moveHome(process, accountId, to);
  return enough.length > 0 || gatherCredits(process, { accountId, to, credits, now }, shards);
}

/**
 * Returns true if the balance of an account was certainly below `credits` at some moment. Call it
 * if the balances in `rows` add up to less. One reading of several shards can miss credits that
 * move between them, so only an upper bound from two successive readings is certain. `before` is
 * the first of them; undefined if there was only one.
 */
export const isShort = (
  credits: number,
  before: AccountRows | undefined,
  rows: AccountRows,
): boolean => isOnlyShard(rows) || (before !== undefined && balanceMax(before, rows) < credits);

/**
 * Returns true if one row contains the whole balance. The account may have grown while it was read.
 */
const isOnlyShard = ({ shards: [first, ...others] }: AccountRows): boolean =>
  others.length === 0 && first?.shards === 1;

/**
 * Returns an upper bound of an account's balance at a moment between two readings of its shards. It
 * is the sum of the balances of the first reading and all credits added until the second reading.
 */
function balanceMax(first: AccountRows, second: AccountRows): number {
  const firsts = new Map(first.shards.map((shard) => [shard.number, shard]));
  return second.shards.reduce((sum, { number, added }) => {
    const before = firsts.get(number);
    return sum + (before?.balance ?? 0) + added - (before?.added ?? 0);
  }, 0);
}

function oneOf<T>({ random }: LedgerProcess, values: readonly T[]): T {
  const value = values[Math.floor(random.fraction() * values.length)];
  assert(value !== undefined, "there is a value to choose");
  return value;
}
