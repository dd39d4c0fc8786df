import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { tableSchema } from "../../base/table-schema.ts";
import { type HealthCounts, latencyBoundsMs } from "../../source-health/health-counts.ts";
import { type HealthPeriod, type HealthStore, periodOf } from "../../source-health/health-store.ts";
import type { Row } from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { accountKeys } from "../table/table.ts";

/**
 * Timeout of one write, in milliseconds. The answers of a read wait for this write, so a slow table
 * must not delay them.
 */
const writeMsMax = 300;
/** Seconds after which a row may be deleted. The API shows the health of the last day. */
const retentionSeconds = 2 * 24 * 60 * 60;

const countNames = {
  ok: "ok",
  partial: "partial",
  notFound: "not_found",
  unavailable: "unavailable",
  ageMs: "age_ms",
} as const;
const latencyNames = latencyBoundsMs.map((_, n) => `latency_${n}`);

/**
 * Creates a store of the health of sources in DynamoDB, with one row for each scraper and period. A
 * write adds its counts to the row, without a read and without a condition, so writes do not
 * conflict.
 */
export function dynamoHealthStore(client: DynamoDBDocumentClient, table: string): HealthStore {
  return {
    async add(scraper, counts) {
      const startsAt = periodOf(new Date(counts.lastReadAt));
      const added = Object.entries(addedBy(counts)).filter(([, value]) => value > 0);
      const set = { ...setBy(counts), [tableSchema.timeToLive]: expiryOf(startsAt) };
      const names = [...added.map(([name]) => name), ...Object.keys(set)];
      const sets = Object.keys(set).map((name) => `#${name} = :${name}`);
      const adds = added.map(([name]) => `#${name} :${name}`);
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: accountKeys.sourceHealth(scraper, startsAt),
          UpdateExpression: `SET ${sets.join(", ")}${adds.length > 0 ? ` ADD ${adds.join(", ")}` : ""}`,
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            [...added, ...Object.entries(set)].map(([name, value]) => [`:${name}`, value]),
          ),
        }),
        { abortSignal: AbortSignal.timeout(writeMsMax) },
      );
    },
    async since(scraper, since) {
      const { pk, sk } = accountKeys.sourceHealth(scraper, periodOf(since));
      const rows = queryRows(client, {
        TableName: table,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":pk": pk,
          ":from": sk,
          ":to": accountKeys.sourceHealth(scraper, "~").sk,
        },
      });
      return Array.fromAsync(rows, healthPeriodOf);
    },
  };
}

const addedBy = (counts: HealthCounts): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(
    Object.entries(countNames).map(([field, name]) => [
      name,
      counts[field as keyof typeof countNames],
    ]),
  ),
  ...Object.fromEntries(latencyNames.map((name, n) => [name, counts.latencies[n] ?? 0])),
});

const setBy = ({ lastReadAt, quota }: HealthCounts): Readonly<Record<string, string | number>> => ({
  last_read_at: lastReadAt,
  ...(quota !== undefined && { quota_left: quota.left, quota_max: quota.max }),
});

const expiryOf = (startsAt: string): number =>
  Math.floor(Date.parse(startsAt) / 1_000) + retentionSeconds;

function healthPeriodOf(row: Row): HealthPeriod {
  const numberIn = (name: string): number => Number(row[name] ?? 0);
  return {
    startsAt: String(row["sk"]).replace("health#", ""),
    counts: {
      ok: numberIn(countNames.ok),
      partial: numberIn(countNames.partial),
      notFound: numberIn(countNames.notFound),
      unavailable: numberIn(countNames.unavailable),
      ageMs: numberIn(countNames.ageMs),
      latencies: latencyNames.map(numberIn),
      ...(row["quota_left"] !== undefined && {
        quota: { left: numberIn("quota_left"), max: numberIn("quota_max") },
      }),
      lastReadAt: String(row["last_read_at"]),
    },
  };
}
