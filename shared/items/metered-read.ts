import type { Clock } from "../base/clock.ts";
import { isDependencyFailure } from "../base/dependency-failure.ts";
import {
  concurrencyLimit,
  insufficientCredits,
  invalidParam,
  isServiceError,
  unavailable,
  unconfirmed,
} from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { retryBudget, withRetryBudget, withSeparateLoss } from "../base/retry-budget.ts";
import type { CancelQueue } from "../credits/cancel-queue.ts";
import type { Ledger, Settled, Settlement } from "../credits/ledger.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { chargedItems, countItems } from "./envelope.ts";

/** A call that charges per item. */
export interface MeteredCall {
  readonly accountId: string;
  readonly requestId: string;
  /** Method and path of the call, as the route table has them. */
  readonly endpoint: string;
  /** When the call began. */
  readonly now: Date;
  /** When reading stops, so that there is time to settle and answer. */
  readonly deadline: Date;
  /** Milliseconds until the answer can no longer be sent; negative after that. */
  readonly msToAnswer: () => number;
}

export interface MeteredReadDependencies {
  readonly ledger: Pick<Ledger, "reserve" | "settle" | "cancel">;
  /** Ends holds that the call cannot end itself. */
  readonly cancels: CancelQueue;
  readonly clock: Clock;
  /** The largest answer that can be sent; absent where answers are streamed. */
  readonly answerBytesMax?: number | undefined;
}

/** What a call reads and what that costs; credits are whole and rounded up once per call. */
export interface MeteredWork<Answer, Result> {
  readonly scraper: StepScraperId;
  /** Items that the call asks for. */
  readonly items: number;
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

const { callLossMs, cancelMs, settleLossMs } = limits.dependencies;

/**
 * Reads for an account: reserves credits and a concurrency slot, reads, and charges what was
 * answered. A call that ends in an error costs nothing, and neither does one whose answer comes too
 * late to be sent.
 * @throws 402 and 429, before anything is read; 400 for an answer too large to send; 503 when a
 * dependency fails or no time is left to answer; and what the reading throws.
 */
export async function meteredRead<Answer extends { readonly status: ReadStatus }, Result>(
  call: MeteredCall,
  work: MeteredWork<Answer, Result>,
  dependencies: MeteredReadDependencies,
): Promise<MeteredRead<Answer, Result>> {
  const { now, msToAnswer } = call;
  const { clock, answerBytesMax } = dependencies;
  await reserve(call, work, dependencies);
  const { answers, results, charge } = await orRelease(call, dependencies, async () => {
    // What sources lose to their secrets and shared rates must not be missing when credits settle.
    const read = await withSeparateLoss(callLossMs, work.read);
    const presented = read.map((answer) => work.present(answer));
    if (answerBytesMax !== undefined) refuseTooLarge(presented, answerBytesMax);
    if (msToAnswer() <= 0) throw unavailable("no time was left to settle");
    return { answers: read, results: presented, charge: work.charge(read) };
  });
  const charged = { credits: charge, items: chargedItems(countItems(answers)) };
  const settled = await settle(call, charged, dependencies);
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
  call: MeteredCall,
  work: Pick<MeteredWork<never, unknown>, "scraper" | "items" | "reserved">,
  dependencies: MeteredReadDependencies,
): Promise<void> {
  const { accountId, requestId, endpoint, deadline } = call;
  const { scraper, items, reserved: credits } = work;
  // Not the time at which the call began: other calls have changed the ledger since then.
  const now = dependencies.clock.now();
  const reservation = {
    accountId,
    holdId: requestId,
    credits,
    slot: true,
    source: { requestId, endpoint, scraper, items },
    now,
    expiresAt: new Date(deadline.getTime() + settleMilliseconds),
  };
  const reserved = await dependencies.ledger.reserve(reservation).catch(async (error: unknown) => {
    // Without an answer the hold may have been made: it would block credits until it expires.
    if (isDependencyFailure(error)) await cancelLater(call, dependencies);
    throw error;
  });
  if (reserved.outcome === "no_slot") throw concurrencyLimit(reserved.limit, reserved.balance);
  if (reserved.outcome === "insufficient") throw insufficientCredits(credits, reserved.balance);
}

async function orRelease<Result>(
  call: MeteredCall,
  dependencies: MeteredReadDependencies,
  work: () => Promise<Result>,
): Promise<Result> {
  const { accountId, requestId: holdId } = call;
  const { ledger, clock } = dependencies;
  try {
    return await work();
  } catch (error) {
    // What neither this nor a worker gives back comes back when the hold expires.
    await withSeparateLoss(settleLossMs, () =>
      ledger.settle({ accountId, holdId, credits: 0, succeeded: false, now: clock.now() }),
    ).catch(() => cancelLater(call, dependencies));
    throw error;
  }
}

/**
 * Charges the call. The answer says that it was charged, or an error says that it was not: when the
 * ledger gave no answer, or gave it too late, what it may have charged is taken back.
 */
async function settle(
  call: MeteredCall,
  charged: Pick<Settlement, "credits" | "items">,
  dependencies: MeteredReadDependencies,
): Promise<Settled> {
  const { accountId, requestId: holdId, msToAnswer } = call;
  const { ledger, clock } = dependencies;
  const settlement = { accountId, holdId, ...charged, succeeded: true, now: clock.now() };
  const settled = await withSeparateLoss(settleLossMs, () => ledger.settle(settlement)).catch(
    async (error: unknown) => {
      const isCancelled = await cancelLater(call, dependencies);
      // A refusal has changed nothing; a settlement that was not answered may have been made.
      if (isServiceError(error) && error.details.isUnconfirmed !== true) throw error;
      if (!isCancelled) throw unconfirmed(String(error));
      throw isServiceError(error) ? unavailable("settled without an answer") : error;
    },
  );
  if (msToAnswer() > 0) return settled;
  const isCancelled =
    (await cancelNow(call, dependencies, cancelMs / 2)) ||
    (await cancelLater(call, dependencies, cancelMs / 2));
  throw isCancelled ? unavailable("settled too late to answer") : unconfirmed("settled too late");
}

/** True when the hold is ended at no charge. */
async function cancelNow(
  { accountId, requestId: holdId }: MeteredCall,
  { ledger, clock }: MeteredReadDependencies,
  withinMs: number,
): Promise<boolean> {
  const cancel = (): Promise<void> => ledger.cancel({ accountId, holdId, now: clock.now() });
  return hasWorked(clock, withinMs, cancel);
}

/** True when it is certain that a worker will end the hold at no charge. */
async function cancelLater(
  { accountId, requestId: holdId }: MeteredCall,
  { cancels, clock }: MeteredReadDependencies,
  withinMs: number = cancelMs,
): Promise<boolean> {
  const send = (): Promise<void> => cancels.send({ accountId, holdId });
  return hasWorked(clock, withinMs, send);
}

/** What fails here fails a call that has failed already: that error is the one to report. */
function hasWorked(clock: Clock, withinMs: number, act: () => Promise<void>): Promise<boolean> {
  const endsAt = clock.now().getTime() + withinMs;
  const endsInMs = (): number => endsAt - clock.now().getTime();
  return withRetryBudget(retryBudget({ clock, lossMs: withinMs, endsInMs }), act).then(
    () => true,
    () => false,
  );
}
