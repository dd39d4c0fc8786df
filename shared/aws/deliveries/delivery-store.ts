import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { array, nullable, number, object, optional, parse, picklist, string } from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { eventTypes } from "../../events/event.ts";
import { endpointTarget } from "../../outbox/outbox.ts";
import { type Delivery, deliveryStates, publicStateOf } from "../../webhooks/delivery.ts";
import type { DeliveryFilter, DeliveryPage, DeliveryStore } from "../../webhooks/delivery-store.ts";
import { redeliveryEntry } from "../../webhooks/outbox-entries.ts";
import type { DeliveryRecord } from "../../webhooks/attempt-delivery.ts";
import { type Row, transactWrites } from "../table/dynamo.ts";
import { additionWrites, type Write } from "./outbox-writes.ts";
import { queryRows } from "../table/query-rows.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";

/** The deliveries table, with the clock and the random source for pauses before retries. */
export interface DynamoDeliveryStoreOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

const retentionSeconds = limits.eventRetentionDays * 24 * 60 * 60;
/**
 * Maximum number of rows that are read for one filtered page. The page then ends, even if it is not
 * full, so that a filter with few matches does not make the call slow.
 */
const scannedEntriesMax = 5_000;

/**
 * Creates the delivery log in DynamoDB. A delivery ID begins with the time of the event, so rows
 * sort by time.
 */
export function dynamoDeliveryStore(
  client: DynamoDBDocumentClient,
  options: DynamoDeliveryStoreOptions,
): DeliveryStore {
  const { tableName: TableName, clock } = options;
  const read = (accountId: string, id: string) =>
    readRow(client, TableName, deliveryKeys.delivery(accountId, id));
  const isKept = ({ createdAt }: Delivery): boolean =>
    Date.parse(createdAt) > clock.now().getTime() - retentionSeconds * 1_000;
  return {
    async get(accountId, id) {
      const row = await read(accountId, id);
      const foundDelivery = row === undefined ? null : deliveryOf(row);
      return foundDelivery !== null && isKept(foundDelivery) ? foundDelivery : null;
    },
    async getMany(accountId, ids) {
      const rows = await Promise.all(ids.map((id) => read(accountId, id)));
      return new Map(
        rows
          .filter((row) => row !== undefined)
          .map((row) => deliveryOf(row))
          .map((foundDelivery) => [foundDelivery.id, foundDelivery]),
      );
    },
    list: (accountId, wanted) => list(client, TableName, { accountId, isKept, ...wanted }),
    async put(accountId, delivery) {
      const record = { delivery, answersRequest: false };
      const { Update } = deliveryWrite(TableName, accountId, record);
      await client.send(new UpdateCommand(Update));
    },
    requestRedelivery: (accountId, delivery, now) =>
      request(client, options, { accountId, delivery, now, isAdded: false }),
    requestDelivery: (accountId, delivery, now) =>
      request(client, options, { accountId, delivery, now, isAdded: true }),
  };
}

/**
 * Builds the write of a delivery into the log, for the transaction that also changes the outbox.
 * Does not overwrite `requested_at`, which a redelivery request may have set since the delivery was
 * read. Removes `requested_at` only if `answersRequest` is true.
 */
export function deliveryWrite(
  TableName: string,
  accountId: string,
  { delivery, answersRequest }: DeliveryRecord,
): { readonly Update: NonNullable<Write["Update"]> } {
  const set = Object.entries(attributesOf(delivery));
  const assignments = set.map((_, n) => `#a${n} = :a${n}`).join(", ");
  return {
    Update: {
      TableName,
      Key: deliveryKeys.delivery(accountId, delivery.id),
      UpdateExpression: `SET ${assignments}` + (answersRequest ? " REMOVE requested_at" : ""),
      ExpressionAttributeNames: Object.fromEntries(set.map(([name], n) => [`#a${n}`, name])),
      ExpressionAttributeValues: Object.fromEntries(set.map(([, value], n) => [`:a${n}`, value])),
    },
  };
}

interface DeliveryListQuery {
  readonly accountId: string;
  readonly limit: number;
  readonly before: string | null;
  readonly filter: DeliveryFilter;
  readonly isKept: (delivery: Delivery) => boolean;
}

/**
 * Lists the deliveries that match a filter, newest first. `lastId` is the position for the next
 * page; null on the last page.
 */
async function list(
  client: DynamoDBDocumentClient,
  TableName: string,
  { accountId, limit, before, filter, isKept }: DeliveryListQuery,
): Promise<DeliveryPage> {
  const deliveries: Delivery[] = [];
  const pk = deliveryKeys.delivery(accountId, "").pk;
  const rows = queryRows(client, {
    TableName,
    KeyConditionExpression: before === null ? "pk = :pk" : "pk = :pk AND sk < :before",
    ExpressionAttributeValues: { ":pk": pk, ...(before === null ? {} : { ":before": before }) },
    ScanIndexForward: false,
    // Without a filter, reads one row more than the page needs, which shows whether there is a next
    // page.
    Limit: Object.keys(filter).length === 0 ? limit + 1 : scannedEntriesMax / 10,
  });
  let lastId = before;
  let rowsRead = 0;
  for await (const row of rows) {
    const delivery = deliveryOf(row);
    if (!isKept(delivery) || delivery.createdAt < (filter.since ?? "")) break;
    if (matches(delivery, filter)) {
      if (deliveries.length === limit) return { deliveries, lastId };
      deliveries.push(delivery);
    }
    lastId = delivery.id;
    rowsRead += 1;
    if (rowsRead === scannedEntriesMax) return { deliveries, lastId };
  }
  return { deliveries, lastId: null };
}

const matches = (delivery: Delivery, filter: DeliveryFilter): boolean =>
  (filter.endpointId === undefined || filter.endpointId === delivery.endpointId) &&
  (filter.state === undefined || filter.state === publicStateOf(delivery)) &&
  (filter.eventType === undefined || filter.eventType === delivery.eventType) &&
  (filter.watchlistId === undefined || filter.watchlistId === delivery.watchlistId);

/**
 * Requests an attempt of a delivery: marks the delivery in the log as requested, and adds it to the
 * outbox of its endpoint, in one transaction. Returns false, without a change, if an attempt is
 * already requested. Also returns false if the log does not have the delivery, unless `isAdded`
 * allows adding it.
 */
function request(
  client: DynamoDBDocumentClient,
  options: DynamoDeliveryStoreOptions,
  wanted: {
    readonly accountId: string;
    readonly delivery: Delivery;
    readonly now: Date;
    /**
     * True creates the delivery if the log does not have it. False requires that the log has it.
     */
    readonly isAdded: boolean;
  },
): Promise<boolean> {
  const { accountId, delivery, now, isAdded } = wanted;
  const { tableName: TableName } = options;
  const added = isAdded ? Object.entries(attributesOf(delivery)) : [];
  const mark: Write = {
    Update: {
      TableName,
      Key: deliveryKeys.delivery(accountId, delivery.id),
      UpdateExpression: [
        "SET requested_at = :now",
        ...added.map((_, n) => `#a${n} = if_not_exists(#a${n}, :a${n})`),
      ].join(", "),
      ConditionExpression:
        (isAdded ? "" : "attribute_exists(pk) AND ") + "attribute_not_exists(requested_at)",
      ...(isAdded
        ? { ExpressionAttributeNames: Object.fromEntries(added.map(([a], n) => [`#a${n}`, a])) }
        : {}),
      ExpressionAttributeValues: {
        ":now": now.toISOString(),
        ...Object.fromEntries(added.map(([, value], n) => [`:a${n}`, value])),
      },
    },
  };
  const target = endpointTarget(accountId, delivery.endpointId);
  const additions = additionWrites(TableName, target, [redeliveryEntry(delivery, now)]);
  return transactWrites(client, [mark, ...additions], options);
}

const attributesOf = (delivery: Delivery): Row => ({
  id: delivery.id,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  watchlist_id: delivery.watchlistId,
  run_id: delivery.runId,
  endpoint_id: delivery.endpointId,
  state: delivery.state,
  attempts: delivery.attempts,
  attempt_count: delivery.attemptCount,
  tries: delivery.tries,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  ...(delivery.testBody === null ? {} : { test_body: delivery.testBody }),
  ttl: epochSeconds(new Date(delivery.createdAt)) + retentionSeconds,
});

const deliveryRow = object({
  id: string(),
  event_id: string(),
  event_type: picklist(eventTypes),
  watchlist_id: nullable(string()),
  run_id: nullable(string()),
  endpoint_id: string(),
  state: picklist(deliveryStates),
  attempts: array(
    object({
      attempt: nullable(number()),
      at: string(),
      status: nullable(number()),
      durationMs: number(),
      error: nullable(string()),
      response: nullable(string()),
      // Absent in attempts that an earlier release logged.
      signature: optional(nullable(object({ service: string(), standard: string() })), null),
    }),
  ),
  attempt_count: number(),
  tries: number(),
  next_attempt_at: nullable(string()),
  requested_at: optional(string()),
  test_body: optional(string()),
  created_at: string(),
});

function deliveryOf(stored: Row): Delivery {
  const row = parse(deliveryRow, stored);
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    watchlistId: row.watchlist_id,
    runId: row.run_id,
    endpointId: row.endpoint_id,
    state: row.state,
    attempts: row.attempts,
    attemptCount: row.attempt_count,
    tries: row.tries,
    nextAttemptAt: row.next_attempt_at,
    requestedAt: row.requested_at ?? null,
    createdAt: row.created_at,
    testBody: row.test_body ?? null,
  };
}
