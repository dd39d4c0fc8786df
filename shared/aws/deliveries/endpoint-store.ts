import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { object, parse, string } from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import type { WebhookEndpoint } from "../../webhooks/endpoint.ts";
import type { EndpointLookup, EndpointStore } from "../../webhooks/endpoint-store.ts";
import { retryWhileContended } from "../table/dynamo.ts";
import { endpointCountOf, endpointFromRow } from "./endpoint-row.ts";
import { createEndpointRow, deleteEndpointRow, replaceEndpointRow } from "./endpoint-writes.ts";
import { queryRows } from "../table/query-rows.ts";
import { readRow } from "../table/row-reads.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { deliveryKeys, type RowKey } from "../table/table.ts";

/** The deliveries table, with the clock and the random source for pauses before retries. */
export interface DynamoEndpointStoreOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Creates the reader of webhook endpoints in DynamoDB. All reads are strongly consistent. */
export function dynamoEndpoints(
  client: DynamoDBDocumentClient,
  { tableName, ...patience }: DynamoEndpointStoreOptions,
): EndpointLookup {
  const read = (key: RowKey) => readRow(client, tableName, key);
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
      return endpointCountOf(await read(deliveryKeys.endpointCount(accountId)));
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

/**
 * Creates the store of webhook endpoints in DynamoDB. Its methods throw 503 UNAVAILABLE if rows
 * stay contended.
 */
export function dynamoEndpointStore(
  client: DynamoDBDocumentClient,
  options: DynamoEndpointStoreOptions,
): EndpointStore {
  const { tableName } = options;
  const known = dynamoEndpoints(client, options);
  return {
    ...known,
    create: (accountId, endpoint) =>
      retryWhileContended(options, () =>
        createEndpointRow(client, tableName, { ...endpoint, accountId }),
      ),
    replace: (before, after, condition) =>
      retryWhileContended(options, () =>
        replaceEndpointRow(client, tableName, { before, after, ...condition }),
      ),
    delete: (accountId, id, now) =>
      retryWhileContended(options, async () => {
        const endpoint = await known.get(accountId, id);
        return endpoint === null ? false : deleteEndpointRow(client, tableName, { endpoint, now });
      }),
  };
}

const urlRow = object({ endpoint_id: string() });
const deletedRow = object({ id: string(), url: string(), deleted_at: string() });
