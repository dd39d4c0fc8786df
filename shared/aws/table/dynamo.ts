import {
  ConditionalCheckFailedException,
  DynamoDBClient,
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
import type { RandomSource, Clock } from "../../base/clock.ts";
import { dynamoThrottles } from "../../base/dependency-failure.ts";
import { unavailable } from "../../base/errors.ts";
import { repeats } from "../../base/retry-budget.ts";
import { clientSettings } from "../sdk/client-settings.ts";
import type { RowKey } from "./table.ts";
import { quantity } from "../../base/quantity.ts";

export type Row = Readonly<Record<string, unknown>>;

export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings()), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** The reason of one write of a cancelled transaction; null for a write that was not refused. */
export type CancellationReason = {
  readonly code: string;
  /** The row that failed its condition, still in DynamoDB's typed form. */
  readonly item: TransactionCanceledItem | undefined;
} | null;
export type TransactionCanceledItem = NonNullable<
  NonNullable<TransactionCanceledException["CancellationReasons"]>[number]["Item"]
>;

/**
 * The reasons of a transaction that failed a condition or met other requests on its rows, one for each
 * write. Undefined for every other failure, such as an invalid request.
 */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = (error.CancellationReasons ?? []).map((reason) =>
    reason.Code === undefined || reason.Code === "None"
      ? null
      : { code: reason.Code, item: reason.Item },
  );
  const isRefused = reasons.some((reason) => reason?.code === "ConditionalCheckFailed");
  return isRefused || isContention(reasons) ? reasons : undefined;
}

export const isConditionFailure = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof ConditionalCheckFailedException;

/** True for a request that DynamoDB throttled: it has changed nothing. */
export const isThrottle = (error: unknown): boolean =>
  error instanceof Error && dynamoThrottles.has(error.name);

/** Executes a conditional write. True if it took effect, false if its condition did not hold. */
export async function conditionalWrite(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

const attemptsMax = 24;
const backoffMsMax = 400;

interface RetryOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The longest wait between two attempts; 400 ms unless the row has many writers at once. */
  readonly waitMsMax?: number;
}

/** Receives the reason for another attempt: names of errors and rows, never the content of a row. */
export type Note = (why: string) => void;

/** Executes an attempt; returns `again` if DynamoDB throttled it, which changes nothing. */
export async function againIfThrottled<T>(
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

/** The code of each write of a cancelled transaction, for logs. */
export const codesOf = (reasons: readonly CancellationReason[]): string =>
  reasons.map((reason) => reason?.code ?? "None").join(", ");

/**
 * Repeats `attempt` while it returns `again`, with full jitter. DynamoDB cancels transactions that
 * meet on a row instead of queueing them, and the SDK does not retry those.
 * @throws 503 UNAVAILABLE if the row stays contended, or the retry budget is used up; its cause is
 * the last noted reason.
 */
export async function retryContended<T>(
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
    if (!(await mayRepeat())) throw unavailable(`${tries} attempts: ${why}`);
  }
}

/** Executes a single write, and repeats it while a transaction has locked its row. The SDK does not retry that. */
export function retryOnConflict<T>(options: RetryOptions, write: () => Promise<T>): Promise<T> {
  return retryContended<T>(options, async (note) => {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException)) throw error;
      note(error.name);
      return "again";
    }
  });
}

/** True if a write met other requests or was throttled: another attempt may succeed. */
export function isContention(reasons: readonly CancellationReason[]): boolean {
  const codes = new Set([
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
  ]);
  return reasons.some((reason) => reason !== null && codes.has(reason.code));
}

export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Executes a transaction. Undefined if it took effect, else a reason for each write. */
export async function transact(
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
): Promise<readonly CancellationReason[] | undefined> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [...items] }));
    return undefined;
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    return reasons;
  }
}

/** Executes a transaction, and repeats it while rows are contended. False if a condition did not hold. */
export const transactWrites = (
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
  options: RetryOptions,
): Promise<boolean> =>
  retryContended(options, async () => {
    const reasons = await transact(client, items);
    if (reasons === undefined) return true;
    return isContention(reasons) ? "again" : false;
  });

/** The limit of DynamoDB for one BatchWriteItem. Its other limit is 16 MB, which 25 rows of 400 KB cannot reach. */
const batchRowsMax = 25;
const batchTriesMax = 10;

interface BatchWriteOptions {
  readonly table: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Puts rows without conditions, in as few requests as DynamoDB allows. Repeats rows that DynamoDB did not
 * process.
 * @throws 503 UNAVAILABLE if rows stay unprocessed.
 */
export function writeRows(
  client: DynamoDBDocumentClient,
  options: BatchWriteOptions,
  rows: readonly Row[],
): Promise<void> {
  const requests = rows.map((row) => ({ PutRequest: { Item: { ...row } } }));
  return batchWrite(client, options, requests);
}

/** Deletes rows by their keys, as `writeRows` writes them. Rows that do not exist are no error. */
export function deleteRows(
  client: DynamoDBDocumentClient,
  options: BatchWriteOptions,
  keys: readonly RowKey[],
): Promise<void> {
  const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  return batchWrite(client, options, requests);
}

type WriteRequest = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

async function batchWrite(
  client: DynamoDBDocumentClient,
  { table, ...retryOptions }: BatchWriteOptions,
  requests: readonly WriteRequest[],
): Promise<void> {
  for (let start = 0; start < requests.length; start += batchRowsMax) {
    let pending = requests.slice(start, start + batchRowsMax);
    const mayRepeat = repeats(retryOptions, { triesMax: batchTriesMax, pauseMs: 100 });
    for (;;) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: pending } }),
      );
      pending = UnprocessedItems?.[table] ?? [];
      if (pending.length === 0) break;
      if (!(await mayRepeat())) {
        throw unavailable(`DynamoDB did not write ${quantity(pending.length, "row")} to ${table}`);
      }
    }
  }
}
