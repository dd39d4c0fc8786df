import type { Clock } from "../base/clock.ts";
import { concurrencyLimit, insufficientCredits } from "../base/errors.ts";
import type { Ledger } from "../credits/ledger.ts";

/** A call that charges per item. */
export interface MeteredCall {
  readonly accountId: string;
  readonly requestId: string;
  /** When the call began. */
  readonly now: Date;
  /** When reading stops, so that there is time to settle and answer. */
  readonly deadline: Date;
}

export interface MeteredReadDependencies {
  readonly ledger: Pick<Ledger, "reserve" | "settle">;
  readonly clock: Clock;
}

/** What a call reads and what that costs; credits are whole and rounded up once per call. */
export interface MeteredWork<Answer> {
  /** Credits that the call costs at most. */
  readonly reserved: number;
  /** Credits that the answers cost, at most what was reserved. */
  readonly charge: (answers: readonly Answer[]) => number;
  /** Answers by the call's deadline; throws when a source breaks its promises. */
  readonly read: () => Promise<readonly Answer[]>;
}

export interface MeteredRead<Answer> {
  readonly answers: readonly Answer[];
  /** Credits charged for the call, as the ledger has them. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Duration of the call. */
  readonly elapsedMs: number;
}

/** How long after its deadline a call may still settle before its hold counts as abandoned. */
const settleMilliseconds = 60_000;

/**
 * Reads for an account: reserves credits and a concurrency slot, reads, and charges what was
 * answered. Whatever fails after the reservation gives all of it back.
 * @throws 402 and 429, before anything is read; and what the reading throws.
 */
export async function meteredRead<Answer>(
  call: MeteredCall,
  work: MeteredWork<Answer>,
  { ledger, clock }: MeteredReadDependencies,
): Promise<MeteredRead<Answer>> {
  const { accountId, requestId: holdId, now } = call;
  await reserve(call, work.reserved, ledger);
  const { answers, charge } = await orRelease(call, { ledger, clock }, async () => {
    const read = await work.read();
    return { answers: read, charge: work.charge(read) };
  });
  const settled = await ledger.settle({
    accountId,
    holdId,
    credits: charge,
    succeeded: true,
    now: clock.now(),
  });
  return {
    answers,
    credits: settled.credits,
    balance: settled.balance,
    elapsedMs: clock.now().getTime() - now.getTime(),
  };
}

async function reserve(
  { accountId, requestId, now, deadline }: MeteredCall,
  credits: number,
  ledger: Pick<Ledger, "reserve">,
): Promise<void> {
  const reserved = await ledger.reserve({
    accountId,
    holdId: requestId,
    credits,
    slot: true,
    source: { requestId },
    now,
    expiresAt: new Date(deadline.getTime() + settleMilliseconds),
  });
  if (reserved.outcome === "no_slot") throw concurrencyLimit(reserved.limit, reserved.balance);
  if (reserved.outcome === "insufficient") throw insufficientCredits(credits, reserved.balance);
}

async function orRelease<Result>(
  { accountId, requestId: holdId }: MeteredCall,
  { ledger, clock }: MeteredReadDependencies,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // What cannot be given back now is given back when the hold expires; the cause is what counts.
    await ledger
      .settle({ accountId, holdId, credits: 0, succeeded: false, now: clock.now() })
      .catch(() => undefined);
    throw error;
  }
}
