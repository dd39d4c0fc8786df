import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { tableSchema } from "../../base/table-schema.ts";
import {
  gapMsOf,
  grantFrom,
  ownRateBudget,
  type RateAsk,
  type RateBudget,
  type RateGrant,
} from "../../sources/http/rate-budget.ts";
import { isConditionFailure } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";

export interface SharedRateBudgetOptions {
  readonly table: string;
  /** Told when a budget could not be asked, so that calls go by what this process alone knows. */
  readonly onUnshared: (error: unknown) => void;
}

/** Each refusal tells how the row stands; more than two in a row mean that others were faster. */
const triesMax = 8;
/** A budget that takes longer keeps calls waiting that may well be allowed. */
const requestMsMax = 1_000;
/** A row that nobody has needed for so long says nothing any more. */
const keptSeconds = 24 * 60 * 60;

/**
 * A budget that all processes share: one row per source with the moment at which its next call
 * would start if there were no burst, in microseconds since 1970. A take moves it on, unread, by as
 * many calls as it wants, so takes of many processes do not get in each other's way. Where DynamoDB
 * does not answer, calls are let through at the rate of this process alone.
 */
export function sharedRateBudget(
  client: DynamoDBDocumentClient,
  { table, onUnshared }: SharedRateBudgetOptions,
): RateBudget {
  const own = ownRateBudget();
  const known = new Map<string, number>();
  return {
    async take(source, ask, now) {
      try {
        const row = { client, table, source, known };
        return await takeFrom(row, ask, now.getTime() * 1_000);
      } catch (error) {
        onUnshared(error);
        return own.take(source, ask, now);
      }
    },
  };
}

interface RateRow {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly source: string;
  /** How the rows stood when they were last seen: where a take begins. */
  readonly known: Map<string, number>;
}

async function takeFrom(row: RateRow, wanted: RateAsk, nowUs: number): Promise<RateGrant> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    // A row only ever moves on, so what was seen of it last promises no more than there is.
    const standsAtUs = Math.max(row.known.get(row.source) ?? 0, nowUs);
    const expected = grantFrom(standsAtUs / 1_000, wanted);
    if (expected.permits === 0) return expected;
    const ask = { ...wanted, permits: expected.permits };
    const move = await moved(row, ask, nowUs);
    if (move.nextUs !== undefined) row.known.set(row.source, move.nextUs);
    else row.known.delete(row.source);
    if (move.fromUs !== undefined) return grantFrom(move.fromUs / 1_000, ask);
  }
  throw new Error(`The budget of ${row.source} stayed contended`);
}

/** Where the row stands now; `fromUs`, where it stood before, when this take has moved it. */
interface Move {
  readonly fromUs?: number;
  readonly nextUs: number | undefined;
}

async function moved(row: RateRow, ask: RateAsk, nowUs: number): Promise<Move> {
  const { client, table, source, known } = row;
  const costUs = Math.ceil(ask.permits * gapMsOf(ask) * 1_000);
  // A source that rests begins anew from now; one that does not goes on from where it stands.
  const isResting = (known.get(source) ?? 0) < nowUs;
  const change = isResting
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

/** Where the row may stand at most for all of the calls to start in time. */
function latestUs(ask: RateAsk): number {
  const gapMs = gapMsOf(ask);
  const lastMs = ask.until.getTime() - (ask.permits - ask.burst) * gapMs;
  return Math.floor(lastMs * 1_000) - 1;
}

const ttlFrom = (nowUs: number): number => Math.ceil(nowUs / 1_000_000) + keptSeconds;
