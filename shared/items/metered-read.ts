import type { Clock } from "../base/clock.ts";
import {
  concurrencyLimit,
  insufficientCredits,
  invalidParam,
  isServiceError,
  unconfirmed,
} from "../base/errors.ts";
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
  /** The largest answer that can be sent; absent where answers are streamed. */
  readonly answerBytesMax?: number | undefined;
}

/** What a call reads and what that costs; credits are whole and rounded up once per call. */
export interface MeteredWork<Answer, Result> {
  /** Credits that the call costs at most. */
  readonly reserved: number;
  /** Credits that the answers cost, at most what was reserved. */
  readonly charge: (answers: readonly Answer[]) => number;
  /** Answers by the call's deadline; throws when a source breaks its promises. */
  readonly read: () => Promise<readonly Answer[]>;
  /** An answer as the client gets it. */
  readonly present: (answer: Answer) => Result;
}

export interface MeteredRead<Answer, Result> {
  readonly answers: readonly Answer[];
  readonly results: readonly Result[];
  /** Credits charged for the call, as the ledger has them. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Credits held while the call ran. */
  readonly reserved: number;
  /** Duration of the call. */
  readonly elapsedMs: number;
}

/** How long after its deadline a call may still settle before its hold counts as abandoned. */
const settleMilliseconds = 60_000;

/**
 * Reads for an account: reserves credits and a concurrency slot, reads, and charges what was
 * answered. Whatever fails after the reservation, presenting the answers included, gives all of it
 * back.
 * @throws 402 and 429, before anything is read; 400 for an answer too large to send; 503 when nobody
 * knows whether the call was charged; and what the reading throws.
 */
export async function meteredRead<Answer, Result>(
  call: MeteredCall,
  work: MeteredWork<Answer, Result>,
  { ledger, clock, answerBytesMax }: MeteredReadDependencies,
): Promise<MeteredRead<Answer, Result>> {
  const { accountId, requestId: holdId, now } = call;
  await reserve(call, work.reserved, ledger);
  const { answers, results, charge } = await orRelease(call, { ledger, clock }, async () => {
    const read = await work.read();
    const presented = read.map((answer) => work.present(answer));
    if (answerBytesMax !== undefined) refuseTooLarge(presented, answerBytesMax);
    return { answers: read, results: presented, charge: work.charge(read) };
  });
  const settlement = { accountId, holdId, credits: charge, succeeded: true, now: clock.now() };
  const settled = await ledger.settle(settlement).catch((error: unknown) => {
    // A refusal has changed nothing; a settlement that nobody answered may have been made.
    throw isServiceError(error) ? error : unconfirmed(String(error));
  });
  return {
    answers,
    results,
    credits: settled.credits,
    balance: settled.balance,
    reserved: work.reserved,
    elapsedMs: clock.now().getTime() - now.getTime(),
  };
}

/** Room in an answer for what stands around its results. */
const envelopeBytes = 4_096;

function refuseTooLarge(results: readonly unknown[], answerBytesMax: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(results)) + envelopeBytes;
  if (bytes <= answerBytesMax) return;
  throw invalidParam(
    "ids",
    `The answer has ${bytes} bytes, and at most ${answerBytesMax} can be sent. Send fewer ids in one call.`,
  );
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
