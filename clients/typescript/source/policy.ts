import { ApiError } from "./errors.ts";
import { retryableCodes } from "./generated/error-codes.ts";
import { keyedOperations, type operations, repeatableOperations } from "./generated/operations.ts";

/** The ID of an operation in the API reference, such as `readProducts`. */
export type OperationId = keyof typeof operations;

const defaultTimeoutMs = 30_000;

/** The timeouts of slow operations, in milliseconds, as the specification recommends them. */
const timeouts: Partial<Record<OperationId, number>> = {
  readProducts: 300_000,
  readOffers: 180_000,
  readItemOffers: 180_000,
  checkOffers: 120_000,
  previewWatchlist: 60_000,
  backtestWatchlist: 60_000,
};

/** Returns the default timeout of an operation in milliseconds. */
export const timeoutOf = (operation: OperationId): number =>
  timeouts[operation] ?? defaultTimeoutMs;

interface Attempted {
  readonly operation: OperationId;
  /** True if an earlier attempt may still be in progress at the service. */
  readonly isInFlight: boolean;
}

/**
 * Returns true if the client may repeat a call after this error: a further attempt can succeed, and
 * cannot execute or charge the call twice. Returns false if the error requests a wait of more than
 * `retryAfterSecondsMax`.
 */
export function isRetryable(error: unknown, { operation, isInFlight }: Attempted): boolean {
  const isRepeatable = repeatableOperations.has(operation);
  if (!(error instanceof ApiError)) return isRepeatable;
  if ((error.retryAfterSeconds ?? 0) > retryAfterSecondsMax) return false;
  // If an earlier attempt may still be in progress, the conflict can be with that attempt, which
  // has the same idempotency key.
  if (error.code === "CONFLICT") return keyedOperations.has(operation) && isInFlight;
  if (!retryableCodes.has(error.code)) return false;
  // With status 429, the service has refused the call before it did any work for the call. With a
  // charge of 0, the failed attempt cost nothing. Without a reported charge, only a repeatable call
  // is safe.
  return error.status === 429 || error.credits === 0 || isRepeatable;
}

/**
 * The largest `Retry-After`, in seconds, for which the client waits before it repeats a call. For a
 * larger value, the client throws the error, so that the caller decides.
 */
const retryAfterSecondsMax = 60;
const firstDelayMs = 500;
const delayMsMax = 30_000;

/**
 * Returns how long to wait before the next attempt, in milliseconds. The wait starts at half a
 * second and doubles after each attempt, up to 30 seconds. A random part of up to half of the wait
 * is subtracted. The wait is never shorter than the `Retry-After` of the error.
 * @param attempt The number of attempts so far.
 * @param error The error of the last attempt.
 * @param random Returns a number from 0 (inclusive) to 1 (exclusive).
 */
export function retryDelayMs(attempt: number, error: unknown, random = Math.random): number {
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), delayMsMax) * (0.5 + random() / 2);
  const required = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(backoff, required);
}
