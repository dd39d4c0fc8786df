import {
  GetCommand,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { repeats } from "../../base/retry-budget.ts";
import {
  attemptUnlessThrottled,
  cancellationReasons,
  codesOf,
  isConditionFailure,
  isLocked,
  isRefused,
  isThrottle,
  type Note,
  type Row,
  type TransactItem,
  retryWhileContended,
} from "../table/dynamo.ts";
import { accountKeys, type RowKey } from "../table/table.ts";
import { type LedgerProcess, cacheShards } from "./process.ts";
import { type Shard, shardOf } from "./shard-row.ts";

/** The outcome of one conditional update of a shard. */
export type ShardChange =
  | { readonly outcome: "changed"; readonly shard: Shard }
  /** The condition failed. `shard` is the current state of the shard. */
  | { readonly outcome: "refused"; readonly shard: Shard }
  /** The shard does not exist. */
  | { readonly outcome: "missing" }
  /**
   * DynamoDB rejected the update because of a conflict or a throttle, without evaluating its
   * condition.
   */
  | {
      readonly outcome: "busy";
      /** Name of the error, for logs. */
      readonly why: string;
    };

/**
 * Makes one conditional update of a shard, without retries. The outcome is `changed`, with the
 * shard after the update. With every other outcome, nothing was written:
 * - `refused`, with the current shard: the condition failed.
 * - `missing`: the shard does not exist.
 * - `busy`: DynamoDB reported a conflict or throttled the update.
 * @throws any other error of the request. The update may still have taken effect, so the caller
 * must read the shard.
 */
export async function changeShard(
  process: LedgerProcess,
  accountId: string,
  update: UpdateCommandInput,
): Promise<ShardChange> {
  try {
    const { Attributes = {} } = await process.client.send(
      new UpdateCommand({ ...update, ReturnValues: "ALL_NEW" }),
    );
    const shard = shardOf(Attributes);
    cacheShards(process, accountId, [shard]);
    return { outcome: "changed", shard };
  } catch (error) {
    if (isLocked(error) || isThrottle(error)) {
      return { outcome: "busy", why: (error as Error).name };
    }
    if (!isConditionFailure(error)) throw error;
    if (error.Item === undefined) return { outcome: "missing" };
    const shard = shardOf(unmarshall(error.Item));
    cacheShards(process, accountId, [shard]);
    return { outcome: "refused", shard };
  }
}

/** The outcome of one transaction over a shard and one other row. */
export type ShardChangeWith =
  | Exclude<ShardChange, { readonly outcome: "changed" }>
  /** The response of a transaction does not contain the shard. */
  | { readonly outcome: "changed"; readonly shard: undefined }
  /** The condition of the other write failed, but the condition of the shard did not. */
  | { readonly outcome: "other_refused" };

/**
 * Makes one conditional update of a shard and one other write, in one transaction and without
 * retries. Returns `other_refused` if only the condition of the other write failed. The other
 * outcomes are those of `changeShard`, but `changed` does not contain the shard after the update.
 * @throws any other error of the request. The transaction may still have taken effect, so the
 * caller must read the shard.
 */
export async function changeShardWith(
  process: LedgerProcess,
  accountId: string,
  [update, other]: readonly [NonNullable<TransactItem["Update"]>, TransactItem],
): Promise<ShardChangeWith> {
  const transacted = await transactShards(process, accountId, [{ Update: update }, other]);
  if (transacted.outcome === "changed") return { outcome: "changed", shard: undefined };
  const [isShardRefused = false, isOtherRefused = false] = transacted.refused;
  const [shard] = transacted.shards;
  // If both conditions failed, returns the shard, in which the caller finds the hold if an earlier
  // attempt took effect.
  if (isShardRefused)
    return shard === undefined ? { outcome: "missing" } : { outcome: "refused", shard };
  return isOtherRefused ? { outcome: "other_refused" } : { outcome: "busy", why: transacted.why };
}

/** The outcome of one transaction over shards and other rows. */
export type Transacted =
  | { readonly outcome: "changed" }
  | {
      readonly outcome: "refused";
      /**
       * For each write, true if its condition failed. Empty if DynamoDB throttled the transaction.
       */
      readonly refused: readonly boolean[];
      /** The current state of each shard whose condition failed. */
      readonly shards: readonly Shard[];
      /** Codes or name of the error, for logs. */
      readonly why: string;
    };

/**
 * Makes one transaction over shards and other rows, without retries. Returns `changed` if the
 * transaction took effect. Returns `refused`, without a change, if a condition failed, other
 * requests contended for a row, or DynamoDB throttled the transaction. Caches the state of each
 * shard whose condition failed.
 * @throws any other error of the request. The transaction may still have taken effect.
 */
export async function transactShards(
  process: LedgerProcess,
  accountId: string,
  items: readonly TransactItem[],
): Promise<Transacted> {
  try {
    await process.client.send(new TransactWriteCommand({ TransactItems: [...items] }));
    return { outcome: "changed" };
  } catch (error) {
    if (isThrottle(error)) {
      return { outcome: "refused", refused: [], shards: [], why: (error as Error).name };
    }
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    const rows = reasons.flatMap((reason) =>
      reason?.item === undefined ? [] : [unmarshall(reason.item)],
    );
    const shards = rows.filter(isShard).map(shardOf);
    cacheShards(process, accountId, shards);
    return {
      outcome: "refused",
      refused: reasons.map(isRefused),
      shards,
      why: codesOf(reasons),
    };
  }
}

const isShard = (row: Row): boolean => row["sk"] === accountKeys.shard("", 0).sk;

/**
 * Maximum pause between attempts, in milliseconds. Up to 250 calls of an account may end at the
 * same moment.
 */
const waitMsMax = 1_000;
/**
 * Maximum number of consecutive attempts without a pause. Each uses the state that the previous
 * refusal returned.
 */
const freshTriesMax = 6;

/**
 * Calls `attempt` until it returns a result. If the attempt returns `fresh`, the next attempt
 * follows immediately, because the attempt has read and cached the current rows. If the attempt
 * returns `again`, or the sixth `fresh` in a row, the next attempt follows after a random pause.
 * @param attempt passes the reason for a failed attempt to `note`; the error 503 contains the last
 * reason
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function untilDone<T extends object>(
  process: LedgerProcess,
  attempt: (note: Note) => Promise<T | "fresh" | "again">,
): Promise<T> {
  let isRetry = false;
  return retryWhileContended({ ...process, waitMsMax }, async (note) => {
    for (let tries = 0; tries < freshTriesMax; tries += 1) {
      if (isRetry) process.onRetry?.();
      isRetry = true;
      const result = await attemptUnlessThrottled(note, () => attempt(note));
      if (result !== "fresh") return result;
    }
    return "again";
  });
}

/**
 * Reads a row of the accounts table, strongly consistent. Returns undefined if the row does not
 * exist.
 * @throws 503 UNAVAILABLE if DynamoDB keeps throttling the read or the retry budget is exhausted
 */
export async function readRow(process: LedgerProcess, key: RowKey): Promise<Row | undefined> {
  const command = new GetCommand({
    TableName: process.accountsTable,
    Key: key,
    ConsistentRead: true,
  });
  const { Item } = await untilDone(process, () => process.client.send(command));
  return Item;
}

/**
 * Reads a shard, strongly consistent. Returns undefined if the shard does not exist.
 * @throws 503 UNAVAILABLE if DynamoDB keeps throttling the read or the retry budget is exhausted
 */
export async function readShard(
  process: LedgerProcess,
  accountId: string,
  shard: number,
): Promise<Shard | undefined> {
  const row = await readRow(process, accountKeys.shard(accountId, shard));
  return row && shardOf(row);
}

/**
 * Waits for `change`, an update of a shard that creates or resolves a call's hold, and returns its
 * outcome. If the request of the update failed, reads the shard. If the shard shows that the update
 * took effect, returns `refused` with this shard, which is also the outcome of a repeated update.
 * @param change.tookEffect returns true if the shard shows that the update took effect
 * @throws the error of the request if the update did not take effect
 */
export async function awaitChange(
  process: LedgerProcess,
  {
    accountId,
    shard,
    tookEffect,
  }: {
    readonly accountId: string;
    readonly shard: number;
    readonly tookEffect: (current: Shard) => boolean;
  },
  change: Promise<ShardChange | ShardChangeWith>,
): Promise<ShardChange | ShardChangeWith> {
  return change.catch(async (error: unknown) => {
    const current = await readWithRetry(process, () => readShard(process, accountId, shard));
    if (current === undefined || !tookEffect(current)) throw error;
    return { outcome: "refused", shard: current };
  });
}

/**
 * Calls `ask`, which reads the outcome of a change whose request failed, and returns its result.
 * Makes up to four attempts, because the charge depends on this outcome.
 * @throws the error of the last attempt
 */
export async function readWithRetry<T>(process: LedgerProcess, ask: () => Promise<T>): Promise<T> {
  const mayRepeat = repeats(process, { triesMax: 4, pauseMs: 200 });
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(await mayRepeat())) throw error;
    }
  }
}
