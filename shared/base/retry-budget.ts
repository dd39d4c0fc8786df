/**
 * The retry budget of a call or a message: the time that it may lose to failed requests and to the
 * pauses before retries. Successful requests cost nothing, so that work with many requests is not
 * aborted. All asynchronous code of the work shares the budget.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RandomSource, Clock } from "./clock.ts";
import { limits } from "./limits.ts";

export interface RetryBudget {
  readonly clock: Clock;
  /**
   * Maximum duration of a request that starts now, in milliseconds. If it is 0 or less, no request
   * may start.
   */
  readonly leftMs: () => number;
  /** Milliseconds until the deadline of the work. */
  readonly endsInMs: () => number;
  /** Subtracts the time since `from` from the budget. Overlapping times are subtracted once. */
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
 * Error: a request was not sent, because the retry budget or the deadline of its work was reached.
 */
export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";

  constructor() {
    super("A request to a dependency was not sent: the retry budget or the deadline is exhausted.");
  }
}

const current = new AsyncLocalStorage<RetryBudget>();

/** Creates a retry budget: failed requests and pauses may take `lossMs` milliseconds in total. */
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
 * Creates the retry budget of a worker's invocation. The deadline leaves `workerSpareMs` until the
 * Lambda timeout.
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
 * Runs `act` with a retry budget and returns its result. An inner budget replaces the outer budget.
 */
export const withRetryBudget = <Result>(budget: RetryBudget, act: () => Result): Result =>
  current.run(budget, act);

/**
 * Runs `act` with a separate budget of `lossMs` milliseconds, and returns its result. Time that
 * `act` loses does not reduce the budget of the work that called it, but the deadline of this work
 * still applies. If this work has no budget, runs `act` without a budget.
 */
export function withSeparateLoss<Result>(lossMs: number, act: () => Result): Result {
  const outer = current.getStore();
  return outer === undefined
    ? act()
    : withRetryBudget(retryBudget({ clock: outer.clock, lossMs, endsInMs: outer.endsInMs }), act);
}

/**
 * Sends one request with the timeout `limitMs`, or the remaining retry budget if it is shorter. If
 * the work has no budget, the timeout is `limitMs`. If the request fails, its duration is
 * subtracted from the budget.
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
 * Runs `pause` before a retry. The duration of the pause counts as lost. If the work has no budget,
 * only runs `pause`.
 * @throws OutOfTimeError if the remaining budget is 0
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
  /** Maximum of the first pause, in milliseconds. The maximum doubles with each retry. */
  readonly pauseMs: number;
  /** Maximum of every pause, in milliseconds. @default no limit */
  readonly pauseMsMax?: number;
}

/**
 * Returns a function to call after each failed attempt of an operation; the first attempt starts
 * now. The function subtracts the duration of the attempt from the retry budget. If another attempt
 * is allowed, it sleeps with full jitter, subtracts the pause too, and returns true. It returns
 * false immediately after `triesMax` attempts, or if the pause would use up the budget.
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
