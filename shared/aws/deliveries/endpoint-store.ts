import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { number, object, optional, parse, string } from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { tableSchema } from "../../base/table-schema.ts";
import type { WebhookEndpoint } from "../../webhooks/endpoint.ts";
import type { EndpointLookup, EndpointStore } from "../../webhooks/endpoint-store.ts";
import { retryOnConflict, type Row, conditionalWrite, retryContended } from "../table/dynamo.ts";
import { endpointFromRow } from "./endpoint-row.ts";
import { createEndpointRow, deleteEndpointRow, replaceEndpointRow } from "./endpoint-writes.ts";
import { queryRows } from "../table/query-rows.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { deliveryKeys, epochSeconds, type RowKey } from "../table/table.ts";

export interface DynamoEndpointStoreOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Reads webhook endpoints from DynamoDB. */
export function dynamoEndpoints(
  client: DynamoDBDocumentClient,
  { tableName, ...patience }: DynamoEndpointStoreOptions,
): EndpointLookup {
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  const get = async (accountId: string, id: string): Promise<WebhookEndpoint | null> => {
    const row = await read(deliveryKeys.endpoint(accountId, id));
    return row === undefined ? null : endpointFromRow(accountId, row);
  };
  return {
    get,
    list(accountId) {
      const rows = queryRows(client, {
        TableName: tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :endpoint)",
        ExpressionAttributeValues: {
          ":pk": deliveryKeys.endpoint(accountId, "").pk,
          ":endpoint": deliveryKeys.endpoint(accountId, "").sk,
        },
        ConsistentRead: true,
      });
      return Array.fromAsync(rows, (row) => endpointFromRow(accountId, row));
    },
    async countEndpoints(accountId) {
      const row = await read(deliveryKeys.endpointCount(accountId));
      return parse(countRow, row ?? {}).endpoints;
    },
    async findByUrl(accountId, url) {
      const row = await read(deliveryKeys.endpointUrl(accountId, url));
      return row === undefined ? null : get(accountId, parse(urlRow, row).endpoint_id);
    },
    async deletions(accountId, ids) {
      const keys = ids.map((id) => deliveryKeys.deletedEndpoint(accountId, id));
      const rows = await rowsByKey(client, { table: tableName, ...patience }, keys);
      return new Map(
        rows.map((row) => {
          const { id, url, deleted_at: deletedAt } = parse(deletedRow, row);
          return [id, { url, deletedAt }];
        }),
      );
    },
  };
}

/** Stores webhook endpoints in DynamoDB. */
export function dynamoEndpointStore(
  client: DynamoDBDocumentClient,
  options: DynamoEndpointStoreOptions,
): EndpointStore {
  const { tableName } = options;
  const known = dynamoEndpoints(client, options);
  return {
    ...known,
    create: (accountId, endpoint) =>
      retryContended(options, () =>
        createEndpointRow(client, tableName, { ...endpoint, accountId }),
      ),
    replace: (before, after, condition) =>
      retryContended(options, () =>
        replaceEndpointRow(client, tableName, { before, after, ...condition }),
      ),
    delete: (accountId, id, now) =>
      retryContended(options, async () => {
        const endpoint = await known.get(accountId, id);
        return endpoint === null ? false : deleteEndpointRow(client, tableName, { endpoint, now });
      }),
    admitTest: (accountId, id, now) => admitTest(client, options, { accountId, id, now }),
  };
}

const minuteMs = 60_000;
/**
 * Seconds until a minute's counter expires: more than a minute, because clocks of processes differ.
 */
const testsKeptSeconds = 60 * 60;

/**
 * Counts a test delivery of an endpoint. Returns false if the limit of the minute is reached. Each
 * minute has a separate row.
 */
function admitTest(
  client: DynamoDBDocumentClient,
  options: DynamoEndpointStoreOptions,
  { accountId, id, now }: { readonly accountId: string; readonly id: string; readonly now: Date },
): Promise<boolean> {
  const minute = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs);
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key: testsKey(accountId, id, minute),
    UpdateExpression: "SET #ttl = :ttl ADD tests :one",
    ConditionExpression: "attribute_not_exists(tests) OR tests < :max",
    ExpressionAttributeNames: { "#ttl": tableSchema.timeToLive },
    ExpressionAttributeValues: {
      ":one": 1,
      ":max": limits.webhookTestsPerMinute,
      ":ttl": epochSeconds(minute) + testsKeptSeconds,
    },
  });
  return conditionalWrite(() => retryOnConflict(options, () => client.send(command)));
}

/** Key of the counter of an endpoint's test deliveries in one minute. */
const testsKey = (accountId: string, id: string, minute: Date): RowKey => ({
  pk: deliveryKeys.endpoint(accountId, id).pk,
  sk: `tests#${id}#${minute.toISOString()}`,
});

const countRow = object({ endpoints: optional(number(), 0) });
const urlRow = object({ endpoint_id: string() });
const deletedRow = object({ id: string(), url: string(), deleted_at: string() });
