import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { array, number, object, parse } from "valibot";
import { unavailable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { tableSchema } from "../../base/table-schema.ts";
import type { ProbeCounter } from "../../outgoing/probe-limit.ts";
import { conditionalWrite, isConditionFailure } from "../table/dynamo.ts";
import { deliveryKeys, epochSeconds, type RowKey } from "../table/table.ts";

const { max, seconds } = limits.probes;
const windowMs = seconds * 1_000;
/** Seconds from an account's last admitted probe until its row expires. */
const retentionSeconds = 60 * 60;
/**
 * Maximum number of attempts to count a probe. The second attempt creates the row. The third is
 * needed if another process created it first.
 */
const triesMax = 3;

/**
 * Creates a counter of probes in DynamoDB, with one row for each account. The row has the times of
 * the last `limits.probes.max` admitted probes. A probe is admitted if the oldest time is at least
 * `limits.probes.seconds` ago, so no period of that length has more probes than the maximum.
 * `count` returns null for an admitted probe, otherwise the time from which the next probe is
 * possible, in milliseconds since 1970.
 */
export function dynamoProbeCounter(
  client: DynamoDBDocumentClient,
  { tableName }: { readonly tableName: string },
): ProbeCounter {
  return {
    async count(accountId, now) {
      const row: ProbeRow = { client, tableName, key: deliveryKeys.probes(accountId), now };
      for (let tries = 0; tries < triesMax; tries += 1) {
        const counted = await append(row);
        if (counted.outcome === "admitted") return null;
        if (counted.outcome === "refused") return counted.oldestMs + windowMs;
        if (await create(row)) return null;
      }
      throw unavailable(
        `other processes created and deleted the probe row of ${accountId} during each of ${triesMax} attempts`,
      );
    },
  };
}

interface ProbeRow {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly key: RowKey;
  readonly now: Date;
}

type Counted =
  | { readonly outcome: "admitted" }
  | { readonly outcome: "refused"; readonly oldestMs: number }
  | { readonly outcome: "no_row" };

/**
 * Admits the probe if the oldest time in the row is outside the window: removes this time, and
 * appends the time of the probe.
 */
async function append({ client, tableName, key, now }: ProbeRow): Promise<Counted> {
  const nowMs = now.getTime();
  const command = new UpdateCommand({
    TableName: tableName,
    Key: key,
    UpdateExpression: `SET probed_ms[${max}] = :now, #ttl = :ttl REMOVE probed_ms[0]`,
    ConditionExpression: "probed_ms[0] <= :oldest",
    ExpressionAttributeNames: { "#ttl": tableSchema.timeToLive },
    ExpressionAttributeValues: {
      ":now": nowMs,
      ":oldest": nowMs - windowMs,
      ":ttl": expiryOf(now),
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  try {
    await client.send(command);
    return { outcome: "admitted" };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    if (error.Item === undefined) return { outcome: "no_row" };
    const [oldestMs = 0] = parse(probeRow, unmarshall(error.Item)).probed_ms;
    return { outcome: "refused", oldestMs };
  }
}

/** Creates the row with the current time. Returns false if the row exists. */
function create({ client, tableName, key, now }: ProbeRow): Promise<boolean> {
  const unused = Array<number>(max - 1).fill(0);
  const command = new PutCommand({
    TableName: tableName,
    Item: {
      ...key,
      probed_ms: [...unused, now.getTime()],
      [tableSchema.timeToLive]: expiryOf(now),
    },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  return conditionalWrite(() => client.send(command));
}

const expiryOf = (now: Date): number => epochSeconds(now) + retentionSeconds;

const probeRow = object({ probed_ms: array(number()) });
