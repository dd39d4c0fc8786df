import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { array, nullable, number, object, parse, picklist, string } from "valibot";
import type { Delivery } from "../webhooks/delivery.ts";
import type { DeliveryStore } from "../webhooks/delivery-store.ts";
import { eventTypes } from "../events/event.ts";
import type { Row } from "./dynamo.ts";
import { leasedRows, workEntries, workOf } from "./leased-row.ts";

/** Deliveries in DynamoDB. Their ids begin with the event's time, so rows sort by it. */
export function dynamoDeliveryStore(
  client: DynamoDBDocumentClient,
  tableName: string,
): DeliveryStore {
  const rows = leasedRows(client, { tableName, kind: "delivery" });
  return {
    open: (accountId, delivery, lease) =>
      rows.open(accountId, delivery.id, {
        attributes: attributesOf(delivery),
        createdAt: delivery.createdAt,
        dueAt: delivery.dueAt,
        lease,
      }),
    async get(accountId, id) {
      const row = await rows.get(accountId, id);
      return row === undefined ? null : deliveryOf(row);
    },
    claim: (accountId, id, claim) => rows.claim(accountId, id, claim),
    settle: (accountId, id, { token, attempts, settlement }) =>
      rows.change(accountId, id, {
        token,
        set: { state: settlement.state, attempts },
        dueAt: settlement.dueAt,
        keepLease: false,
      }),
  };
}

const attributesOf = (delivery: Delivery): Row => ({
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  watchlist_id: delivery.watchlistId,
  run_id: delivery.runId,
  endpoint_id: delivery.endpointId,
  state: delivery.state,
  attempt: delivery.attempt,
  attempts: delivery.attempts,
});

const deliveryRow = object({
  ...workEntries,
  event_id: string(),
  event_type: picklist(eventTypes),
  watchlist_id: string(),
  run_id: string(),
  endpoint_id: string(),
  state: picklist(["pending", "delivered", "failed"]),
  attempts: array(
    object({
      attempt: number(),
      at: string(),
      status: nullable(number()),
      durationMs: number(),
      error: nullable(string()),
      response: nullable(string()),
    }),
  ),
});

function deliveryOf(stored: Row): Delivery {
  const row = parse(deliveryRow, stored);
  return {
    ...workOf(row),
    eventId: row.event_id,
    eventType: row.event_type,
    watchlistId: row.watchlist_id,
    runId: row.run_id,
    endpointId: row.endpoint_id,
    state: row.state,
    attempts: row.attempts,
  };
}
