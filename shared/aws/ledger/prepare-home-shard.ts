import { concurrencyFor } from "../../accounts/account.ts";
import { assert } from "../../base/assert.ts";
import type { Reservation, ReserveOutcome } from "../../credits/ledger.ts";
import { moveHome, cacheShards, type LedgerProcess } from "./process.ts";
import { type AccountRows, readAccountRows, sumsOf } from "./read-shards.ts";
import { releaseExpiredCalls } from "./settle-call.ts";
import type { Shard } from "./shard-row.ts";
import { gatherCredits } from "./transfers.ts";

/** What the earlier attempts of one reservation have learned. */
export interface Progress {
  /** True after an attempt has released the expired holds of the account. */
  readonly hasReleased: boolean;
  /**
   * The account and its shards as an earlier attempt read them, if their balance was then below the
   * credits to reserve. Otherwise undefined.
   */
  readonly short: AccountRows | undefined;
  /** True after an attempt has read all shards and found no free slot. */
  readonly wasFull: boolean;
}

/** The progress of a reservation before its first attempt. */
export const noProgress: Progress = { hasReleased: false, short: undefined, wasFull: false };

/**
 * The reservation should be attempted again, because a shard may now have enough credits and a free
 * slot.
 */
export interface Retry {
  readonly outcome: "retry";
  /** When to make the next attempt. The values are those of `untilDone`. */
  readonly next: "fresh" | "again";
  readonly progress: Progress;
}

type ReservationNeeds = Pick<Reservation, "accountId" | "holdId" | "credits" | "slot" | "now">;

/**
 * Prepares the next attempt of a reservation for which the home shard lacks the credits or a free
 * slot. If holds of calls have expired, releases them and does no more. Otherwise chooses a shard
 * with a free slot and, if possible, enough credits, and makes it the home shard of this process.
 * If this shard lacks credits, transfers them to it.
 *
 * @param reservation The account, hold and credits. If `slot` is true, the reservation also needs a
 *   free slot.
 * @param options.progress What the earlier attempts of this reservation have learned.
 * @param options.shards The number of shards that the account probably has.
 * @returns `retry` if the reservation should be attempted again, `insufficient` if the balance of
 *   the whole account is too small, or `no_slot` if no shard has a free slot.
 */
export async function prepareHomeShard(
  process: LedgerProcess,
  reservation: ReservationNeeds,
  { progress, shards: expected }: { readonly progress: Progress; readonly shards: number },
): Promise<Exclude<ReserveOutcome, { outcome: "reserved" }> | Retry> {
  const { accountId, holdId, credits, slot, now } = reservation;
  const rows = await readAccountRows(process, accountId, expected);
  assert(rows !== undefined, "the account of the credits must exist");
  const { account, shards } = rows;
  cacheShards(process, accountId, shards);
  const holder = shards.find(({ holds }) => holds.has(holdId));
  if (holder !== undefined) {
    // An earlier attempt stored the hold in this shard, but the response was lost.
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
    // Slots can move between shards while the shards are read. Only a second read that finds no
    // free slot proves that there is none.
    return progress.wasFull || shards.length === 1
      ? { outcome: "no_slot", limit, balance }
      : { ...atOnce, progress: { ...after, wasFull: true } };
  }
  const isReady = await chooseHome(process, reservation, { free, shards });
  return isReady ? atOnce : { ...atOnce, next: "again" };
}

/**
 * Chooses one shard of `free` as the home shard of this process. Prefers a shard with enough
 * credits. If no shard has enough, transfers credits from all shards to the chosen shard. Returns
 * false if this transfer failed.
 */
async function chooseHome(
  process: LedgerProcess,
  { accountId, credits, slot, now }: ReservationNeeds,
  { free, shards }: Record<"free" | "shards", readonly Shard[]>,
): Promise<boolean> {
  const enough = free.filter((shard) => shard.balance >= credits);
  // A shard with more free slots is chosen more often, so parallel processes fill all slots evenly.
  const slots = (enough.length > 0 ? enough : free).flatMap((shard) =>
    Array.from({ length: slot ? shard.slots - shard.inFlight : 1 }, () => shard),
  );
  const { number: to } = oneOf(process, slots);
  moveHome(process, accountId, to);
  return enough.length > 0 || gatherCredits(process, { accountId, to, credits, now }, shards);
}

/**
 * Returns true if the balance of an account was certainly below `credits` at some moment. Credits
 * that move between shards during one reading can be missed. With several shards, the result is
 * therefore certain only after two successive readings.
 *
 * @param credits The credits to reserve.
 * @param before The first of two readings, or undefined after only one reading.
 * @param rows The latest reading. The sum of its balances is below `credits`.
 */
export const isShort = (
  credits: number,
  before: AccountRows | undefined,
  rows: AccountRows,
): boolean => isOnlyShard(rows) || (before !== undefined && balanceMax(before, rows) < credits);

/**
 * Returns true if the account has a single shard, which then contains the whole balance. The number
 * of shards in the shard's row is checked too, because shards can be added while they are read.
 */
const isOnlyShard = ({ shards: [first, ...others] }: AccountRows): boolean =>
  others.length === 0 && first?.shards === 1;

/**
 * Returns an upper bound of an account's balance between two reads of its shards. The bound is the
 * sum of the balances in the first read, plus all credits that were added until the second read.
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
  assert(value !== undefined, "there must be a value to choose from");
  return value;
}
