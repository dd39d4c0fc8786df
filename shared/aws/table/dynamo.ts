import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../base/chunks-of.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { dynamoThrottles } from "../../base/dependency-failure.ts";
import { unavailable } from "../../base/errors.ts";
import { repeats } from "../../base/retry-budget.ts";
import type { WrittenVersions } from "../../base/stored-versions.ts";
import { type ClientTimes, clientSettings } from "../sdk/client-settings.ts";
import { versionedClient } from "./versioned-client.ts";
import type { RowKey } from "./table.ts";
import { quantity } from "../../base/quantity.ts";

/** A row of a table: its attributes by name. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A table, with the clock and the random source for the pauses between the attempts of a request.
 */
export interface TableOptions {
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Creates the DynamoDB document client of the service, with the settings of all AWS clients. The
 * client omits undefined attributes, and converts rows to the versions that this process reads and
 * writes.
 * @param writes which version of each kind of rows the process writes
 */
export const documentClient = (
  writes: WrittenVersions = "current",
  options: ClientOptions = {},
): DynamoDBDocumentClient => versionedClient(plainDocumentClient(options), { writes });

/** The credentials of a client, by default those of the process, and its timeouts. */
type ClientOptions = Pick<DynamoDBClientConfig, "credentials"> & ClientTimes;

/**
 * Creates a client that returns and writes rows as they are stored, in any version. Only migrations
 * may use it.
 */
export function plainDocumentClient({
  credentials,
  ...times
}: ClientOptions = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...clientSettings(times),
    ...(credentials === undefined ? {} : { credentials }),
  });
  // This middleware copies every row of every response for a log that is off.
  client.middlewareStack.remove("loggerMiddleware");
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Why DynamoDB canceled one write of a transaction; null if it would have accepted the write. */
export type CancellationReason = {
  readonly code: string;
  /** The row that failed the condition, in DynamoDB's typed form. */
  readonly item: TransactionCanceledItem | undefined;
} | null;
/** A row in DynamoDB's typed form, such as `{ n: { N: "1" } }`. */
export type TransactionCanceledItem = NonNullable<
  NonNullable<TransactionCanceledException["CancellationReasons"]>[number]["Item"]
>;

/** The reason for which DynamoDB refused one write of a transaction: its condition failed. */
type FailedCondition = NonNullable<CancellationReason> & {
  readonly code: typeof conditionFailed;
};
const conditionFailed = "ConditionalCheckFailed";

/** Returns true if the condition of a transaction's write failed. */
export const isRefused = (reason: CancellationReason | undefined): reason is FailedCondition =>
  reason?.code === conditionFailed;

/**
 * Returns one entry for each write of a canceled transaction: the reason why DynamoDB refused the
 * write, or null. Returns undefined for every error other than a failed condition, contention or
 * throttling, such as an invalid request.
 */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = (error.CancellationReasons ?? []).map((reason) =>
    reason.Code === undefined || reason.Code === "None"
      ? null
      : { code: reason.Code, item: reason.Item },
  );
  return reasons.some(isRefused) || isContention(reasons) ? reasons : undefined;
}

/** Returns true for the error of a single write whose condition failed. */
export const isConditionFailure = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof ConditionalCheckFailedException;

/**
 * Returns true for the error of a single write whose row another request's transaction had locked.
 * The write has changed nothing.
 */
export const isLocked = (error: unknown): error is TransactionConflictException =>
  error instanceof TransactionConflictException;

/**
 * Returns true for an error with which DynamoDB throttled a request. The request has changed
 * nothing.
 */
export const isThrottle = (error: unknown): boolean =>
  error instanceof Error && dynamoThrottles.has(error.name);

/** The result of a conditional write: the response, or `refused` if its condition failed. */
type ConditionalResult<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "refused" };

/**
 * Executes a conditional write of a single row, and returns its response. Returns `refused`,
 * without a change, if its condition failed.
 * @throws every other error of the write
 */
export async function ifConditionHolds<T>(write: () => Promise<T>): Promise<ConditionalResult<T>> {
  try {
    return { outcome: "done", value: await write() };
  } catch (error) {
    if (isConditionFailure(error)) return { outcome: "refused" };
    throw error;
  }
}

/**
 * Executes a conditional write whose response is not needed. Returns false, without a change, if
 * its condition failed.
 * @throws every other error of the write
 */
export const conditionalWrite = async (write: () => Promise<unknown>): Promise<boolean> =>
  (await ifConditionHolds(write)).outcome === "done";

const attemptsMax = 24;
/** Default of `waitMsMax`. */
const backoffMsMax = 400;

interface RetryOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /**
   * Maximum pause between two attempts, in milliseconds. Increase it for a row with many concurrent
   * writers.
   * @default 400
   */
  readonly waitMsMax?: number;
}

/** Receives the reason for another attempt: names of errors and rows, but no row content. */
export type Note = (why: string) => void;

/**
 * Calls `attempt` and returns its result. If DynamoDB throttled the attempt, passes the reason to
 * `note` and returns `again`. A throttled attempt has changed nothing.
 * @throws every other error of the attempt
 */
export async function attemptUnlessThrottled<T>(
  note: Note,
  attempt: () => Promise<T>,
): Promise<T | "again"> {
  try {
    return await attempt();
  } catch (error) {
    if (!isThrottle(error)) throw error;
    note((error as Error).name);
    return "again";
  }
}

/**
 * Returns the reason codes of a canceled transaction as text for logs: one for each write, `None`
 * for a write that did not cause the cancellation.
 */
export const codesOf = (reasons: readonly CancellationReason[]): string =>
  reasons.map((reason) => reason?.code ?? "None").join(", ");

/**
 * Calls `attempt`, up to 24 times, until it returns anything but `again`, and returns this result.
 * Sleeps before each repetition for a random time, at most `waitMsMax` milliseconds (full jitter).
 * The repetition is needed because DynamoDB cancels a transaction if another request contends for
 * one of its rows, and the SDK does not retry the transaction.
 * @throws 503 UNAVAILABLE after the last attempt or when the retry budget is exhausted. Its cause
 * is the last reason that `attempt` passed to `note`, or `contended` if there is none.
 */
export async function retryWhileContended<T>(
  { waitMsMax = backoffMsMax, ...options }: RetryOptions,
  attempt: (note: Note) => Promise<T | "again">,
): Promise<T> {
  let why = "contended";
  const note: Note = (reason) => {
    why = reason;
  };
  const limits = { triesMax: attemptsMax, pauseMs: 5, pauseMsMax: waitMsMax };
  const mayRepeat = repeats(options, limits);
  for (let tries = 1; ; tries += 1) {
    const result = await attempt(note);
    if (result !== "again") return result;
    if (!(await mayRepeat()))
      throw unavailable(
        `DynamoDB did not execute a request in ${quantity(tries, "attempt")}: ${why}`,
      );
  }
}

/**
 * Executes a single write, and repeats the write while another request's transaction has locked the
 * row. The SDK does not retry this conflict.
 * @throws 503 UNAVAILABLE if the row stays locked or the retry budget is exhausted
 */
export function retryOnConflict<T>(options: RetryOptions, write: () => Promise<T>): Promise<T> {
  return retryWhileContended<T>(options, async (note) => {
    try {
      return await write();
    } catch (error) {
      if (!isLocked(error)) throw error;
      note(error.name);
      return "again";
    }
  });
}

/**
 * Returns true if a transaction was canceled because other requests contended for one of its rows,
 * or because DynamoDB throttled one of its writes. Another attempt may succeed.
 */
export function isContention(reasons: readonly CancellationReason[]): boolean {
  const codes = new Set([
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
  ]);
  return reasons.some((reason) => reason !== null && codes.has(reason.code));
}

/** One write, or one condition check, of a transaction. */
export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/**
 * The result of one attempt of a transaction. Only `done` has changed rows. `reasons` has one entry
 * for each write: the reason why this write canceled the transaction, or null.
 */
export type TransactionResult =
  /** The transaction took effect. */
  | { readonly outcome: "done" }
  /**
   * Other requests contended for a row, or DynamoDB throttled a write, so another attempt may
   * succeed. Conditions of other writes may have failed too.
   */
  | { readonly outcome: "contended"; readonly reasons: readonly CancellationReason[] }
  /** At least one condition failed, and no row was contended. */
  | { readonly outcome: "refused"; readonly reasons: readonly CancellationReason[] };

/**
 * Executes a transaction once.
 * @throws every error without cancellation reasons (see `cancellationReasons`)
 */
export async function transact(
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
): Promise<TransactionResult> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [...items] }));
    return { outcome: "done" };
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    return { outcome: isContention(reasons) ? "contended" : "refused", reasons };
  }
}

/**
 * Executes a transaction, and repeats it while rows are contended or throttled. Returns true if it
 * took effect, and false, without a change, if a condition failed.
 * @throws 503 UNAVAILABLE if rows stay contended or throttled, or the retry budget is exhausted
 */
export const transactWrites = (
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
  options: RetryOptions,
): Promise<boolean> =>
  retryWhileContended(options, (note) =>
    attemptUnlessThrottled<boolean | "again">(note, async () => {
      const { outcome } = await transact(client, items);
      return outcome === "contended" ? "again" : outcome === "done";
    }),
  );

/**
 * DynamoDB's maximum number of rows in one BatchWriteItem. The size limit of the request, 16 MB,
 * needs no check, because 25 rows of 400 KB are smaller.
 */
const batchRowsMax = 25;
const batchTriesMax = 10;

/**
 * Puts rows without conditions, 25 per request. Sends rows again that DynamoDB did not process.
 * @throws 503 UNAVAILABLE if rows stay unprocessed; the other rows may have been written
 */
export function writeRows(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  rows: readonly Row[],
): Promise<void> {
  const requests = rows.map((row) => ({ PutRequest: { Item: { ...row } } }));
  return batchWrite(client, options, requests);
}

/**
 * Deletes rows by their keys, 25 per request. Ignores rows that do not exist.
 * @throws 503 UNAVAILABLE if rows stay unprocessed; the other rows may have been deleted
 */
export function deleteRows(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  keys: readonly RowKey[],
): Promise<void> {
  const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  return batchWrite(client, options, requests);
}

type WriteRequest = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

/** Sends write requests in batches, and repeats those that DynamoDB did not process. */
async function batchWrite(
  client: DynamoDBDocumentClient,
  { table, ...retryOptions }: TableOptions,
  requests: readonly WriteRequest[],
): Promise<void> {
  for (const some of chunksOf(requests, batchRowsMax)) {
    let pending = some;
    const mayRepeat = repeats(retryOptions, { triesMax: batchTriesMax, pauseMs: 100 });
    for (;;) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: pending } }),
      );
      pending = UnprocessedItems?.[table] ?? [];
      if (pending.length === 0) break;
      if (!(await mayRepeat())) {
        throw unavailable(
          `DynamoDB did not write all rows to ${table}: ${quantity(pending.length, "row")} left`,
        );
      }
    }
  }
}
