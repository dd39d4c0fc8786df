import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import { limits } from "../../base/limits.ts";
import { endpointTarget } from "../../outbox/outbox.ts";
import type { WebhookEndpoint } from "../../webhooks/endpoint.ts";
import type {
  CreateEndpointOutcome,
  ReplaceEndpointOutcome,
} from "../../webhooks/endpoint-store.ts";
import { type CancellationReason, codesOf, isRefused, transact } from "../table/dynamo.ts";
import { endpointRowOf } from "./endpoint-row.ts";
import type { Write } from "./outbox-writes.ts";
import { deliveryKeys, epochSeconds, type RowKey } from "../table/table.ts";

const absent = "attribute_not_exists(pk)";

/**
 * Attempts once to create an endpoint, claim its URL and increment the endpoint count, in one
 * transaction. The outcome is `created`. In every other outcome, nothing was written:
 * - `url_taken`: another endpoint of the account has the URL.
 * - `limit_reached`: the account has the maximum number of endpoints.
 * - `again`: other requests contend for the rows.
 */
export async function createEndpointRow(
  client: DynamoDBDocumentClient,
  TableName: string,
  endpoint: WebhookEndpoint,
): Promise<CreateEndpointOutcome | "again"> {
  const refused = await refusals(client, [
    urlClaim(TableName, endpoint),
    {
      Update: {
        TableName,
        Key: deliveryKeys.endpointCount(endpoint.accountId),
        UpdateExpression: "ADD endpoints :one",
        ConditionExpression: "attribute_not_exists(endpoints) OR endpoints < :max",
        ExpressionAttributeValues: { ":one": 1, ":max": limits.webhookEndpointsMax },
      },
    },
    { Put: { TableName, Item: { ...endpointRowOf(endpoint) }, ConditionExpression: absent } },
  ]);
  if (refused === null) return { outcome: "created" };
  if (refused === "again") return "again";
  if (refused[0] !== null) return { outcome: "url_taken" };
  assert(refused[1] !== null, "a new webhook endpoint must have an unused ID");
  return { outcome: "limit_reached" };
}

/**
 * Attempts once to replace `before` with `after`, and the URL claim if the URL differs, in one
 * transaction. The outcome is `replaced`. In every other outcome, nothing was written:
 * - `changed`: the endpoint was changed or deleted after `before` was read.
 * - `url_taken`: another endpoint of the account has the new URL.
 * - `recovered`: only with `failingSince`; the stored state of the endpoint no longer has this time
 *   as the start of its failures.
 * - `again`: other requests contend for the rows.
 */
export async function replaceEndpointRow(
  client: DynamoDBDocumentClient,
  TableName: string,
  {
    before,
    after,
    failingSince = null,
  }: {
    readonly before: WebhookEndpoint;
    readonly after: WebhookEndpoint;
    readonly failingSince?: string | null;
  },
): Promise<ReplaceEndpointOutcome | "again"> {
  const row: Write = {
    Put: {
      TableName,
      Item: { ...endpointRowOf(after) },
      ConditionExpression: "updated_at = :before",
      ExpressionAttributeValues: { ":before": before.updatedAt },
    },
  };
  const urlWrites =
    before.url === after.url ? [] : [urlClaim(TableName, after), urlRelease(TableName, before)];
  const still = failingSince === null ? [] : [failingCheck(TableName, before, failingSince)];
  const refused = await refusals(client, [row, ...still, ...urlWrites]);
  if (refused === null) return { outcome: "replaced" };
  if (refused === "again") return "again";
  if (still.length > 0 && refused[1] !== null) return { outcome: "recovered" };
  // If the write of the row was refused, another writer has changed this endpoint. That writer may
  // also have claimed the new URL for this endpoint, so a refused claim then proves nothing.
  return { outcome: refused[0] === null ? "url_taken" : "changed" };
}

/** Builds the condition that the endpoint has failed without interruption since `failingSince`. */
const failingCheck = (
  TableName: string,
  { accountId, id }: WebhookEndpoint,
  failingSince: string,
): Write => ({
  ConditionCheck: {
    TableName,
    Key: { ...deliveryKeys.outbox(endpointTarget(accountId, id)) },
    ConditionExpression: "target_state.failingSince = :since",
    ExpressionAttributeValues: { ":since": failingSince },
  },
});

/**
 * Attempts once to delete an endpoint and its URL claim and to decrement the endpoint count, in one
 * transaction. Adds a row with the endpoint's last URL, which expires after
 * `limits.deletedEndpointDays`. Returns true if it deleted the endpoint. Returns `again` if the
 * endpoint was deleted or its URL changed since it was read, or if other requests contend for the
 * rows. Other changes of the endpoint do not prevent the deletion.
 */
export async function deleteEndpointRow(
  client: DynamoDBDocumentClient,
  TableName: string,
  { endpoint, now }: { readonly endpoint: WebhookEndpoint; readonly now: Date },
): Promise<true | "again"> {
  const refused = await refusals(client, [
    {
      Delete: {
        TableName,
        Key: { ...deliveryKeys.endpoint(endpoint.accountId, endpoint.id) },
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    urlRelease(TableName, endpoint),
    {
      Update: {
        TableName,
        Key: deliveryKeys.endpointCount(endpoint.accountId),
        UpdateExpression: "ADD endpoints :less",
        ExpressionAttributeValues: { ":less": -1 },
      },
    },
    {
      Put: {
        TableName,
        Item: {
          ...deliveryKeys.deletedEndpoint(endpoint.accountId, endpoint.id),
          id: endpoint.id,
          url: endpoint.url,
          deleted_at: now.toISOString(),
          ttl: epochSeconds(now) + limits.deletedEndpointDays * 24 * 60 * 60,
        },
      },
    },
  ]);
  // If a write was refused, another call has changed the URL or deleted the endpoint. The result
  // `again` makes the caller read the endpoint again.
  return refused === null ? true : "again";
}

const claimKey = ({ accountId, url }: WebhookEndpoint): RowKey =>
  deliveryKeys.endpointUrl(accountId, url);

/** Builds the write that claims the URL of an endpoint. It fails if the URL is claimed. */
const urlClaim = (TableName: string, endpoint: WebhookEndpoint): Write => ({
  Put: {
    TableName,
    Item: { ...claimKey(endpoint), endpoint_id: endpoint.id },
    ConditionExpression: absent,
  },
});

/** Builds the write that deletes the URL claim of an endpoint. It fails if the claim is missing. */
const urlRelease = (TableName: string, endpoint: WebhookEndpoint): Write => ({
  Delete: {
    TableName,
    Key: { ...claimKey(endpoint) },
    ConditionExpression: "endpoint_id = :id",
    ExpressionAttributeValues: { ":id": endpoint.id },
  },
});

/**
 * Executes a transaction.
 * @returns null if it took effect; `again` if other requests contended for its rows; otherwise a
 * reason for each write, or null for a write whose condition held
 * @throws Error if DynamoDB refused a write for another reason than its condition
 */
async function refusals(
  client: DynamoDBDocumentClient,
  writes: readonly Write[],
): Promise<readonly CancellationReason[] | "again" | null> {
  const result = await transact(client, writes);
  if (result.outcome === "done") return null;
  if (result.outcome === "contended") return "again";
  const { reasons } = result;
  if (reasons.some((reason) => reason !== null && !isRefused(reason)))
    throw new Error(
      `DynamoDB refused the transaction that changes a webhook endpoint, with the reasons ${codesOf(reasons)}. Nothing was changed.`,
    );
  return reasons;
}
