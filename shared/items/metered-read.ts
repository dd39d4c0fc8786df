import type { Clock } from "../base/clock.ts";
import { secondsToNextDay } from "../base/day.ts";
import { isDependencyFailure } from "../base/dependency-failure.ts";
import {
  concurrencyLimit,
  dailyBudgetReached,
  insufficientCredits,
  overMaxCredits,
  invalidParam,
  isServiceError,
  unavailable,
  chargeUnconfirmed,
} from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { retryBudget, withRetryBudget, withSeparateLoss } from "../base/retry-budget.ts";
import type { CancelQueue } from "../credits/cancel-queue.ts";
import type { Ledger, Settled, Settlement } from "../credits/ledger.ts";
import type { StepScraperId } from "../scrapers/catalog.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { chargedItems, countByStatus } from "./envelope.ts";
import type { CreditCap } from "./max-credits.ts";

/** A call that charges for each item. */
export interface MeteredCall {
  readonly accountId: string;
  /** The API key of the caller, which the ledger records with the charge. */
  readonly apiKeyId: string;
  /** ID of the request, which is also the ID of its hold. */
  readonly requestId: string;
  /** Method and path of the route. */
  readonly endpoint: string;
  /** Time at which the call started. */
  readonly now: Date;
  /**
   * Time at which the reads of items must end, so that the call can settle its credits and respond.
   */
  readonly deadline: Date;
  /** Milliseconds until it is too late to send the response; negative after that. */
  readonly msToAnswer: () => number;
}

export interface MeteredReadDependencies {
  readonly ledger: Pick<Ledger, "reserve" | "settle" | "cancel">;
  /** Queue for holds that the call cannot cancel. */
  readonly cancels: CancelQueue;
  readonly clock: Clock;
  /** Maximum size of a response in bytes; absent if responses are streamed and have no limit. */
  readonly answerBytesMax?: number | undefined;
}

/** The credits that a call reserves before it reads. Credits are whole numbers. */
export interface PaidWork {
  /** The scraper of the call; absent for a call that reads with several scrapers. */
  readonly scraper?: StepScraperId;
  /** The watchlist whose items the call reads; absent for a call without a watchlist. */
  readonly watchlistId?: string;
  /** Maximum number of reads that the call can be charged for. */
  readonly items: number;
  /** Maximum cost of the call, in credits. */
  readonly reserved: number;
  /** The cap that the client sets for `reserved`. */
  readonly cap: CreditCap;
}

/** The reads of a call with one scraper, and their cost, rounded up once per call. */
export interface MeteredWork<Answer, Result> extends PaidWork {
  readonly scraper: StepScraperId;
  /** The request parameter that contains the items, for errors. */
  readonly param: "ids" | "offers";
  /** Returns the cost of the answers in credits, at most `reserved`. */
  readonly charge: (answers: readonly Answer[]) => number;
  /** Reads the items before the call's deadline. Throws if a source returns an invalid answer. */
  readonly read: () => Promise<readonly Answer[]>;
  /** Converts an answer for the client. */
  readonly present: (answer: Answer) => Result;
}

/** The outcome of a metered call. */
export interface MeteredRead<Answer, Result> {
  readonly answers: readonly Answer[];
  /** The answers as the client receives them, in the same order. */
  readonly results: readonly Result[];
  /** Credits charged for the call, as stored in the ledger. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Credits held while the call ran. */
  readonly reserved: number;
  /** Duration of the call in milliseconds. */
  readonly elapsedMs: number;
}

/** Milliseconds from the deadline of the reads of a call until its hold expires. */
const settleMilliseconds = 60_000;

const { callLossMs, cancelMs, settleLossMs } = limits.dependencies;

/**
 * Reads items for an account, with one scraper: reserves credits and a concurrency slot, reads the
 * items, and charges the answers. A call that throws, or whose response would be too late to send,
 * costs nothing.
 * @throws before any read: 402 if the balance or `max_credits` is too low, 409 if the daily budget
 * is too low, 429 if no slot is free. Later: 400 if the response is too large to send; 503 if a
 * dependency fails or no time is left to respond; the errors of `read`
 */
export async function meteredRead<Answer extends { readonly status: ReadStatus }, Result>(
  call: MeteredCall,
  { param, charge, present, ...work }: MeteredWork<Answer, Result>,
  dependencies: MeteredReadDependencies,
): Promise<MeteredRead<Answer, Result>> {
  const { clock, answerBytesMax } = dependencies;
  const { result, credits, balance } = await paidRead(
    call,
    {
      ...work,
      async read() {
        const read = await work.read();
        const presented = read.map((answer) => present(answer));
        if (answerBytesMax !== undefined) refuseTooLarge(presented, param, answerBytesMax);
        return { answers: read, results: presented };
      },
      charge: ({ answers }) => ({
        credits: charge(answers),
        items: chargedItems(countByStatus(answers)),
      }),
    },
    dependencies,
  );
  const elapsedMs = clock.now().getTime() - call.now.getTime();
  return { ...result, credits, balance, reserved: work.reserved, elapsedMs };
}

/** The reads of a call and their cost. */
interface PaidReads<Reads> extends PaidWork {
  /** Reads before the call's deadline. Throws if a source returns an invalid answer. */
  readonly read: () => Promise<Reads>;
  /** Returns the cost of the reads, at most `reserved` credits. */
  readonly charge: (found: Reads) => Required<Pick<Settlement, "credits" | "items">>;
}

/**
 * Reserves credits and a concurrency slot for reads with any number of scrapers, makes the reads,
 * and charges them. A call that throws costs nothing.
 * @param work.read makes the reads before the call's deadline
 * @param work.charge returns the cost of the reads in credits, at most `work.reserved`, and the
 * number of charged items
 * @throws the same errors as `meteredRead`, except 400
 */
export async function paidRead<Reads>(
  call: MeteredCall,
  work: PaidReads<Reads>,
  dependencies: MeteredReadDependencies,
): Promise<Settled & { readonly result: Reads }> {
  refuseOverCap(work);
  await reserve(call, work, dependencies);
  const { result, charged } = await orRelease(call, dependencies, async () => {
    // Separate retry budgets: time lost in sources must not reduce the time for settling credits.
    const read = await withSeparateLoss(callLossMs, work.read);
    if (call.msToAnswer() <= 0) throw unavailable("the call has no time left to settle its charge");
    return { result: read, charged: work.charge(read) };
  });
  return { result, ...(await settle(call, charged, dependencies)) };
}

/**
 * Checks the credits to reserve against the client's maximum.
 * @throws 402 if the call would reserve more credits than the client allows
 */
function refuseOverCap({
  reserved,
  cap: { maxCredits },
}: Pick<PaidWork, "reserved" | "cap">): void {
  if (maxCredits !== undefined && reserved > maxCredits) throw overMaxCredits(reserved, maxCredits);
}

/** Upper bound of the bytes of a response without its results. */
const envelopeBytes = 4_096;

/**
 * Refuses results that do not fit into a response.
 * @throws 400 with the size and the maximum
 */
function refuseTooLarge(results: readonly unknown[], param: string, answerBytesMax: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(results)) + envelopeBytes;
  if (bytes <= answerBytesMax) return;
  throw invalidParam(
    param,
    `The response would have ${bytes} bytes, more than the maximum of ${answerBytesMax}. ` +
      `Send fewer items in '${param}'.`,
  );
}

/**
 * Reserves the maximum cost of a call and a slot.
 * @throws 402 if the balance is too low, 409 if the daily budget is too low, 429 if no slot is free
 */
async function reserve(
  call: MeteredCall,
  { scraper, watchlistId, items, reserved: credits }: PaidWork,
  dependencies: MeteredReadDependencies,
): Promise<void> {
  const { accountId, apiKeyId, requestId, endpoint, deadline } = call;
  // Uses the current time, not `call.now`, because other calls have changed the ledger since this
  // call started.
  const now = dependencies.clock.now();
  const reservation = {
    accountId,
    holdId: requestId,
    credits,
    slot: true,
    source: {
      requestId,
      endpoint,
      apiKeyId,
      ...(watchlistId !== undefined && { watchlistId }),
      ...(scraper !== undefined && { scraper }),
      items,
    },
    now,
    expiresAt: new Date(deadline.getTime() + settleMilliseconds),
  };
  const reserved = await dependencies.ledger.reserve(reservation).catch(async (error: unknown) => {
    // If the ledger did not respond, the hold may exist, and it would block credits until it
    // expires.
    if (isDependencyFailure(error)) await cancelLater(call, dependencies);
    throw error;
  });
  if (reserved.outcome === "over_budget") {
    throw dailyBudgetReached(credits, reserved, secondsToNextDay(now));
  }
  if (reserved.outcome === "no_slot") throw concurrencyLimit(reserved.limit, reserved.balance);
  if (reserved.outcome === "insufficient") throw insufficientCredits(credits, reserved.balance);
}

/** Does the work of a call, and releases the call's hold without a charge if the work throws. */
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
    // If the release fails, a worker releases the hold (`cancelLater`). If the message to the
    // worker cannot be sent either, the sweeper releases the hold after the hold has expired.
    await withSeparateLoss(settleLossMs, () =>
      ledger.settle({ accountId, holdId, credits: 0, succeeded: false, now: clock.now() }),
    ).catch(() => cancelLater(call, dependencies));
    throw error;
  }
}

/**
 * Charges the call. If the ledger does not respond in time, the charge may have been made. A call
 * that returns an error must cost nothing, so the charge is then canceled.
 * @throws 503 if the charge was canceled or is unconfirmed
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
      // A refusal by the ledger means that nothing was charged. Without a response, the settlement
      // may have taken effect.
      if (isServiceError(error) && error.details.isUnconfirmed !== true) throw error;
      if (!isCancelled) throw chargeUnconfirmed(String(error));
      throw isServiceError(error)
        ? unavailable("the charge was settled, but the call has no response")
        : error;
    },
  );
  if (msToAnswer() > 0) return settled;
  const isCancelled =
    (await cancelNow(call, dependencies, cancelMs / 2)) ||
    (await cancelLater(call, dependencies, cancelMs / 2));
  throw isCancelled
    ? unavailable("the charge was settled too late to send the response")
    : chargeUnconfirmed(
        "the charge was settled too late to send the response, and could not be canceled",
      );
}

/** Cancels the hold of a call. Returns true if this succeeded within `withinMs` milliseconds. */
async function cancelNow(
  { accountId, requestId: holdId }: MeteredCall,
  { ledger, clock }: MeteredReadDependencies,
  withinMs: number,
): Promise<boolean> {
  const cancel = (): Promise<void> => ledger.cancel({ accountId, holdId, now: clock.now() });
  return succeeds(clock, withinMs, cancel);
}

/**
 * Sends the message that makes a worker cancel the hold. Returns false if the message could not be
 * sent within `withinMs` milliseconds.
 */
async function cancelLater(
  { accountId, requestId: holdId }: MeteredCall,
  { cancels, clock }: MeteredReadDependencies,
  withinMs: number = cancelMs,
): Promise<boolean> {
  const send = (): Promise<void> => cancels.send({ accountId, holdId });
  return succeeds(clock, withinMs, send);
}

/**
 * Runs `act` within `withinMs` milliseconds. Returns true on success and false on failure. Never
 * throws, because the call already reports an earlier error.
 */
function succeeds(clock: Clock, withinMs: number, act: () => Promise<void>): Promise<boolean> {
  const endsAt = clock.now().getTime() + withinMs;
  const endsInMs = (): number => endsAt - clock.now().getTime();
  return withRetryBudget(retryBudget({ clock, lossMs: withinMs, endsInMs }), act).then(
    () => true,
    () => false,
  );
}
