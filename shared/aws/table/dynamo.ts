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
import type { Chance, Clock } from "../../base/clock.ts";
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

/** Why each write of a cancelled transaction was refused; null for one that was not. */
export type CancellationReason = {
  readonly code: string;
  /** The row that failed its condition, still in DynamoDB's typed form. */
  readonly item: TransactionCanceledItem | undefined;
} | null;
export type TransactionCanceledItem = NonNullable<
  NonNullable<TransactionCanceledException["CancellationReasons"]>[number]["Item"]
>;

/**
 * What stood in the way of a transaction: the data, or others at its rows. Undefined for every other
 * failure, also for a cancellation that is about the request itself.
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

/** True for a request that DynamoDB turned away unlooked at: it has changed nothing. */
export const isThrottle = (error: unknown): boolean =>
  error instanceof Error && dynamoThrottles.has(error.name);

/** True when the write took effect, false when its condition no longer held: somebody was first. */
export async function unlessRefused(write: () => Promise<unknown>): Promise<boolean> {
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

interface Patience {
  readonly clock: Clock;
  readonly chance: Chance;
  /** The longest wait between two attempts; 400 ms unless the row has many writers at once. */
  readonly waitMsMax?: number;
}

/** Takes why an attempt has to be made again: names of errors and rows, nothing that a row says. */
export type Note = (why: string) => void;

/** Makes an attempt; returns `again` if DynamoDB throttled it, which changes nothing. */
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

/** The codes of a refusal, write by write. */
export const codesOf = (reasons: readonly CancellationReason[]): string =>
  reasons.map((reason) => reason?.code ?? "None").join(", ");

/**
 * Repeats `attempt` while it reports `again`, with full jitter: DynamoDB cancels transactions that
 * meet on a row instead of queueing them, and the SDK does not retry those.
 * @throws 503 UNAVAILABLE when the row stays contended, or the retry budget is used up; its cause is
 * what was noted last.
 */
export async function untilSettled<T>(
  { waitMsMax = backoffMsMax, ...patience }: Patience,
  attempt: (note: Note) => Promise<T | "again">,
): Promise<T> {
  let why = "contended";
  const note: Note = (reason) => {
    why = reason;
  };
  const limits = { triesMax: attemptsMax, pauseMs: 5, pauseMsMax: waitMsMax };
  const mayRepeat = repeats(patience, limits);
  for (let tries = 1; ; tries += 1) {
    const result = await attempt(note);
    if (result !== "again") return result;
    if (!(await mayRepeat())) throw unavailable(`${tries} attempts: ${why}`);
  }
}

/** A single write, repeated while it meets transactions on its row, which the SDK does not do. */
export function pastTransactions<T>(patience: Patience, write: () => Promise<T>): Promise<T> {
  return untilSettled<T>(patience, async (note) => {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException)) throw error;
      note(error.name);
      return "again";
    }
  });
}

/** True for cancellations and failures that say nothing about the data: trying again may succeed. */
export function isContention(reasons: readonly CancellationReason[]): boolean {
  const codes = new Set([
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
  ]);
  return reasons.some((reason) => reason !== null && codes.has(reason.code));
}

export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Undefined when the transaction took effect, else why it did not. */
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

/** True when the writes took effect; false when the condition of one did not hold. */
export const transactWrites = (
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
  patience: Patience,
): Promise<boolean> =>
  untilSettled(patience, async () => {
    const reasons = await transact(client, items);
    if (reasons === undefined) return true;
    return isContention(reasons) ? "again" : false;
  });

/** Rows of one BatchWriteItem: DynamoDB takes 25, and 16 MB, which rows of 400 KB cannot pass. */
const batchRowsMax = 25;
const batchTriesMax = 10;

interface Target {
  readonly table: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/**
 * Puts rows without conditions, in as few requests as DynamoDB allows, repeating what it left out.
 * @throws 503 UNAVAILABLE when it keeps leaving rows out.
 */
export function writeRows(
  client: DynamoDBDocumentClient,
  target: Target,
  rows: readonly Row[],
): Promise<void> {
  const requests = rows.map((row) => ({ PutRequest: { Item: { ...row } } }));
  return batchWrite(client, target, requests);
}

/** Deletes rows in the same way, whether they are there or not. */
export function deleteRows(
  client: DynamoDBDocumentClient,
  target: Target,
  keys: readonly RowKey[],
): Promise<void> {
  const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  return batchWrite(client, target, requests);
}

type WriteRequest = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

async function batchWrite(
  client: DynamoDBDocumentClient,
  { table, ...patience }: Target,
  requests: readonly WriteRequest[],
): Promise<void> {
  for (let start = 0; start < requests.length; start += batchRowsMax) {
    let pending = requests.slice(start, start + batchRowsMax);
    const mayRepeat = repeats(patience, { triesMax: batchTriesMax, pauseMs: 100 });
    for (;;) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: pending } }),
      );
      pending = UnprocessedItems?.[table] ?? [];
      if (pending.length === 0) break;
      if (!(await mayRepeat())) {
        throw unavailable(`${quantity(pending.length, "row")} left out of writes to ${table}`);
      }
    }
  }
}
