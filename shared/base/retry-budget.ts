/**
 * The retry budget of a call or a message: the time that it may lose to requests to dependencies that
 * fail or are not answered, and to the pauses before a repeat. Requests that succeed cost nothing, so
 * that work with many requests is not cut off. The budget follows the work across its awaits.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Chance, Clock } from "./clock.ts";
import { limits } from "./limits.ts";

export interface RetryBudget {
  readonly clock: Clock;
  /** Milliseconds that a request may take which begins now; none may begin at 0 or below. */
  readonly leftMs: () => number;
  /** Milliseconds until the work has to end, whatever it has lost. */
  readonly endsInMs: () => number;
  /** Counts the time since `from` as lost; time lost to two requests at once counts once. */
  readonly loseSince: (from: Date) => void;
}

interface Options {
  readonly clock: Clock;
  /** Milliseconds that may be lost. */
  readonly lossMs: number;
  /** @default the work may take any time */
  readonly endsInMs?: () => number;
}

/** A request to a dependency was not sent, because the work has no time left for it. */
export class OutOfTimeError extends Error {
  override readonly name = "OutOfTimeError";

  constructor() {
    super("No time is left for another request to a dependency.");
  }
}

const current = new AsyncLocalStorage<RetryBudget>();

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

/** The budget of a worker's invocation, which has to end before Lambda stops it. */
export const workerRetryBudget = (
  clock: Clock,
  context: { getRemainingTimeInMillis(): number },
): RetryBudget =>
  retryBudget({
    clock,
    lossMs: limits.dependencies.workerLossMs,
    endsInMs: () => context.getRemainingTimeInMillis() - limits.dependencies.workerSpareMs,
  });

/** Does work under a budget; an inner budget replaces the outer one. */
export const withRetryBudget = <Result>(budget: RetryBudget, act: () => Result): Result =>
  current.run(budget, act);

/**
 * Runs a part of the work with a separate retry budget, so that its losses do not reduce the budget of the
 * rest. The deadline of the work still applies.
 */
export function withSeparateLoss<Result>(lossMs: number, act: () => Result): Result {
  const outer = current.getStore();
  return outer === undefined
    ? act()
    : withRetryBudget(retryBudget({ clock: outer.clock, lossMs, endsInMs: outer.endsInMs }), act);
}

/**
 * Sends one request, which may take `limitMs` or what is left of the budget. A request that fails
 * loses the time that it took.
 * @throws OutOfTimeError when nothing is left
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
 * Does something that only waits for a repeat; the time that it takes is lost.
 * @throws OutOfTimeError when nothing is left
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
  /** Attempts in all. @default no limit */
  readonly triesMax?: number;
  /** The ceiling of the first pause; each later one is twice the one before. */
  readonly pauseMs: number;
  /** The ceiling of all pauses. @default no limit */
  readonly pauseMsMax?: number;
}

/**
 * Counts the attempts of one piece of work, the first of which begins now. Call the result after each
 * attempt that changed nothing: it waits with full jitter, and the attempt and the pause are lost. It
 * returns false, without a wait, when no further attempt or no time is left.
 */
export function repeats(
  { clock, chance }: { readonly clock: Clock; readonly chance: Chance },
  { triesMax = Infinity, pauseMs, pauseMsMax = Infinity }: RepeatLimits,
): () => Promise<boolean> {
  let tries = 0;
  let from = clock.now();
  return async () => {
    tries += 1;
    const milliseconds = chance.fraction() * Math.min(pauseMsMax, pauseMs * 2 ** (tries - 1));
    const budget = current.getStore();
    budget?.loseSince(from);
    if (tries >= triesMax || (budget?.leftMs() ?? Infinity) <= milliseconds) return false;
    await pausingWithinBudget(() => clock.sleep(milliseconds));
    from = clock.now();
    return true;
  };
}
