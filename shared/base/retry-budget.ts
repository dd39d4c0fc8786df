/**
 * The retry budget of a call or a message: the time that it may lose to failed requests and to the
 * pauses before retries. Successful requests do not count, so that work with many requests is not
 * aborted. All asynchronous code of the work shares the budget.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RandomSource, Clock } from "./clock.ts";
import { limits } from "./limits.ts";

export interface RetryBudget {
  readonly clock: Clock;
  /**
   * Maximum duration of a request that starts now, in milliseconds. At 0 or less, no request may
   * start.
   */
  readonly leftMs: () => number;
  /** Milliseconds until the deadline of the work. */
  readonly endsInMs: () => number;
  /** Subtracts the time since `from` from the budget. Overlapping periods count once. */
  readonly loseSince: (from: Date) => void;
}

interface Options {
  readonly clock: Clock;
  /** Maximum lost time, in milliseconds. */
  readonly lossMs: number;
  /** Milliseconds until the deadline of the work. @default no deadline */
  readonly endsInMs?: () => number;
}

/**
 * The error of a request that was not sent, because its work had used up the retry budget or passed
 * its deadline.
 */
export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";

  constructor() {
    super(
      "The request was not sent, because its work has used up the retry budget or passed its deadline.",
    );
  }
}

const current = new AsyncLocalStorage<RetryBudget>();

/**
 * Creates a retry budget, which limits the time that a unit of work may lose to failed requests and
 * to pauses.
 * @param lossMs maximum lost time, in milliseconds
 * @param endsInMs returns the milliseconds until the deadline of the work; no deadline by default
 */
export function retryBudget({ clock, lossMs, endsInMs = () => Infinity }: Options): RetryBudget {
  let lostMs = 0;
  let countedUntil = -Infinity;
  return {
    clock,
    endsInMs,
    leftMs: () => Math.min(lossMs - lostMs, endsInMs()),
    loseSince: (from) => {
      const now = clock.now().getTime();
      lostMs += Math.max(0, now - Math.max(from.getTime(), countedUntil));
      countedUntil = Math.max(countedUntil, now);
    },
  };
}

/**
 * Creates the retry budget for one invocation of a worker. The budget is `workerLossMs`. Its
 * deadline is `workerSpareMs` before the timeout of the Lambda function.
 * @param context the context of the invocation, as Lambda passes it to the handler
 */
export const workerRetryBudget = (
  clock: Clock,
  context: { getRemainingTimeInMillis(): number },
): RetryBudget =>
  retryBudget({
    clock,
    lossMs: limits.dependencies.workerLossMs,
    endsInMs: () => context.getRemainingTimeInMillis() - limits.dependencies.workerSpareMs,
  });

/**
 * Calls `act` and returns its result. All requests that `act` sends, including later requests of
 * its asynchronous code, use `budget` instead of the budget of the caller.
 */
export const withRetryBudget = <Result>(budget: RetryBudget, act: () => Result): Result =>
  current.run(budget, act);

/**
 * Calls `act` with a separate retry budget of `lossMs` milliseconds, and returns its result. Time
 * that `act` loses does not reduce the caller's budget, but the caller's deadline still applies. If
 * the caller has no budget, `act` has no budget either.
 */
export function withSeparateLoss<Result>(lossMs: number, act: () => Result): Result {
  const outer = current.getStore();
  return outer === undefined
    ? act()
    : withRetryBudget(retryBudget({ clock: outer.clock, lossMs, endsInMs: outer.endsInMs }), act);
}

/**
 * Calls `send` with the timeout for one request, in milliseconds: `limitMs`, or the remaining retry
 * budget if that is shorter. Without a retry budget, the timeout is always `limitMs`. If the
 * request fails, subtracts its duration from the budget.
 * @param send sends the request with the given timeout
 * @throws OutOfTimeError if the budget is used up or the deadline of the work has passed; otherwise
 * the error of `send`
 */
export async function withinBudget<Result>(
  limitMs: number,
  send: (milliseconds: number) => Promise<Result>,
): Promise<Result> {
  const budget = current.getStore();
  if (budget === undefined) return send(limitMs);
  const milliseconds = Math.min(limitMs, budget.leftMs());
  if (milliseconds <= 0) throw new OutOfTimeError();
  const from = budget.clock.now();
  try {
    return await send(milliseconds);
  } catch (error) {
    budget.loseSince(from);
    throw error;
  }
}

/**
 * Calls `pause`, which waits before a retry, and returns its result. Subtracts the duration of the
 * pause from the retry budget, if there is one.
 * @throws OutOfTimeError if the budget is used up or the deadline of the work has passed; otherwise
 * the error of `pause`
 */
export async function pausingWithinBudget<Result>(pause: () => Promise<Result>): Promise<Result> {
  const budget = current.getStore();
  if (budget === undefined) return pause();
  if (budget.leftMs() <= 0) throw new OutOfTimeError();
  const from = budget.clock.now();
  try {
    return await pause();
  } finally {
    budget.loseSince(from);
  }
}

interface RepeatLimits {
  /** Maximum number of attempts. @default no limit */
  readonly triesMax?: number;
  /** Maximum duration of the first pause, in milliseconds. It doubles with each retry. */
  readonly pauseMs: number;
  /**
   * Maximum duration of a pause, however many retries precede it, in milliseconds.
   * @default no limit
   */
  readonly pauseMsMax?: number;
}

/**
 * Creates a function that decides whether to attempt an operation again. Call the created function
 * after each failed attempt; the first attempt starts now.
 *
 * The created function subtracts the duration of the attempt from the retry budget. It then waits
 * for a random time (full jitter), subtracts the wait from the budget, and returns true. The
 * maximum wait is `pauseMs` milliseconds after the first attempt. It doubles with each retry, up to
 * `pauseMsMax`. The created function returns false without a wait after `triesMax` attempts, or if
 * the wait would use up the budget.
 */
export function repeats(
  { clock, random }: { readonly clock: Clock; readonly random: RandomSource },
  { triesMax = Infinity, pauseMs, pauseMsMax = Infinity }: RepeatLimits,
): () => Promise<boolean> {
  let tries = 0;
  let from = clock.now();
  return async () => {
    tries += 1;
    const milliseconds = random.fraction() * Math.min(pauseMsMax, pauseMs * 2 ** (tries - 1));
    const budget = current.getStore();
    budget?.loseSince(from);
    if (tries >= triesMax || (budget?.leftMs() ?? Infinity) <= milliseconds) return false;
    await pausingWithinBudget(() => clock.sleep(milliseconds));
    from = clock.now();
    return true;
  };
}
