import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { tableSchema } from "../../base/table-schema.ts";
import {
  gapMsOf,
  grantFrom,
  localRateBudget,
  type RateAsk,
  type RateBudget,
  type RateGrant,
} from "../../sources/http/rate-budget.ts";
import { isConditionFailure } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";

/** Options of the shared rate budget. `table` is the name of the accounts table. */
export interface SharedRateBudgetOptions {
  readonly table: string;
  /**
   * Receives the error if the shared limit cannot be used and a call uses the local limit of this
   * process instead.
   */
  readonly onUnshared: (error: unknown) => void;
}

/**
 * Maximum number of attempts to take permits. A refusal returns the current row, which the next
 * attempt uses. If the last attempt is refused too, the process uses its local limit.
 */
const triesMax = 8;
/**
 * Timeout of one request, in milliseconds. After a timeout, the process uses its local limit, so
 * that calls do not wait longer.
 */
const requestMsMax = 1_000;
/** Seconds until an unused row expires. */
const retentionSeconds = 24 * 60 * 60;

/**
 * Creates the rate budget that all processes share. Each source has a row with one time, in
 * microseconds since 1970: the time at which the next call of the source would start without a
 * burst. A process takes permits by adding one interval per permit to this time. It does not read
 * the row first, so processes do not conflict. A process that cannot update the row limits its
 * calls locally.
 */
export function sharedRateBudget(
  client: DynamoDBDocumentClient,
  { table, onUnshared }: SharedRateBudgetOptions,
): RateBudget {
  const local = localRateBudget();
  const known = new Map<string, number>();
  return {
    async take(source, ask, now) {
      try {
        const row = { client, table, source, known };
        return await takeFrom(row, ask, now.getTime() * 1_000);
      } catch (error) {
        onUnshared(error);
        return local.take(source, ask, now);
      }
    },
  };
}

interface RateRow {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly source: string;
  /**
   * For each source, the time in its row when this process last read or wrote it, in microseconds
   * since 1970. The next attempt assumes that the row still has this time.
   */
  readonly known: Map<string, number>;
}

/** Takes permits from the row of a source; fewer than wanted, or none, if the rate requires it. */
async function takeFrom(row: RateRow, wanted: RateAsk, nowUs: number): Promise<RateGrant> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    // The time in a row never decreases, so the calculation from the cached time grants at least as
    // many permits as the row allows. If it grants too many, the condition of the write fails.
    const knownUs = Math.max(row.known.get(row.source) ?? 0, nowUs);
    const expected = grantFrom(knownUs / 1_000, wanted);
    if (expected.permits === 0) return expected;
    const ask = { ...wanted, permits: expected.permits };
    const move = await advance(row, ask, nowUs);
    if (move.nextUs !== undefined) row.known.set(row.source, move.nextUs);
    else row.known.delete(row.source);
    if (move.fromUs !== undefined) return grantFrom(move.fromUs / 1_000, ask);
  }
  throw new Error(
    `The shared rate limit of the source ${row.source} could not be used: other processes changed its row during each of ${triesMax} attempts. ` +
      "This process uses its local limit instead.",
  );
}

interface Move {
  /** The time in the row before the permits were taken; absent if the condition failed. */
  readonly fromUs?: number;
  /** The time in the row after the attempt to take permits; undefined if there is no row. */
  readonly nextUs: number | undefined;
}

/** Attempts once to take permits, by a conditional write of the time in the row. */
async function advance(row: RateRow, ask: RateAsk, nowUs: number): Promise<Move> {
  const { client, table, source, known } = row;
  const costUs = Math.ceil(ask.permits * gapMsOf(ask) * 1_000);
  // The permits of an idle source start now. The permits of a busy source start at the stored time,
  // after the permits that were granted before.
  const isIdle = (known.get(source) ?? 0) < nowUs;
  const change = isIdle
    ? {
        UpdateExpression: "SET next_us = :next, #ttl = :ttl",
        ConditionExpression: "attribute_not_exists(next_us) OR next_us < :now",
        ExpressionAttributeValues: { ":next": nowUs + costUs, ":now": nowUs },
      }
    : {
        UpdateExpression: "SET next_us = next_us + :cost, #ttl = :ttl",
        ConditionExpression: "next_us BETWEEN :now AND :latest",
        ExpressionAttributeValues: { ":cost": costUs, ":now": nowUs, ":latest": latestUs(ask) },
      };
  const values = { ...change.ExpressionAttributeValues, ":ttl": ttlFrom(nowUs) };
  const command = new UpdateCommand({
    TableName: table,
    Key: accountKeys.sourceRate(source),
    ...change,
    ExpressionAttributeNames: { "#ttl": tableSchema.timeToLive },
    ExpressionAttributeValues: values,
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  try {
    const abortSignal = AbortSignal.timeout(requestMsMax);
    const { Attributes } = await client.send(command, { abortSignal });
    const nextUs = Number(Attributes?.["next_us"]);
    return { fromUs: nextUs - costUs, nextUs };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    const next = error.Item === undefined ? undefined : unmarshall(error.Item)["next_us"];
    return { nextUs: typeof next === "number" ? next : undefined };
  }
}

/**
 * Returns the latest time, in microseconds since 1970, that the row may have before the permits are
 * taken. All calls of the request then start before `ask.until`.
 */
function latestUs(ask: RateAsk): number {
  const gapMs = gapMsOf(ask);
  const lastMs = ask.until.getTime() - (ask.permits - ask.burst) * gapMs;
  return Math.floor(lastMs * 1_000) - 1;
}

const ttlFrom = (nowUs: number): number => Math.ceil(nowUs / 1_000_000) + retentionSeconds;
