import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  array,
  boolean,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  string,
} from "valibot";
import type { Chance, Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import { eventTypes } from "../events/event.ts";
import type { Endpoint } from "../webhooks/endpoint.ts";
import type { CreateEndpointOutcome, EndpointStore } from "../webhooks/endpoint-store.ts";
import { cancellationReasons, isContention, type Row, untilSettled } from "./dynamo.ts";
import { deliveryKeys, type RowKey } from "./table.ts";

export interface DynamoEndpointStoreOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Webhook endpoints in DynamoDB. */
export function dynamoEndpointStore(
  client: DynamoDBDocumentClient,
  options: DynamoEndpointStoreOptions,
): EndpointStore {
  const { tableName } = options;
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  const get = async (accountId: string, id: string): Promise<Endpoint | null> => {
    const row = await read(deliveryKeys.endpoint(accountId, id));
    return row === undefined ? null : endpointOf(accountId, row);
  };
  return {
    get,
    create: (accountId, endpoint) =>
      untilSettled(options, () => create(client, tableName, { accountId, endpoint })),
    async list(accountId) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :endpoint)",
          ExpressionAttributeValues: {
            ":pk": deliveryKeys.endpoint(accountId, "").pk,
            ":endpoint": deliveryKeys.endpoint(accountId, "").sk,
          },
          ConsistentRead: true,
        }),
      );
      return Items.map((row) => endpointOf(accountId, row));
    },
    async countEndpoints(accountId) {
      const row = await read(deliveryKeys.endpointCount(accountId));
      return parse(countRow, row ?? {}).endpoints;
    },
    async findByUrl(accountId, url) {
      const row = await read(deliveryKeys.endpointUrl(accountId, url));
      return row === undefined ? null : get(accountId, parse(urlRow, row).endpoint_id);
    },
  };
}

async function create(
  client: DynamoDBDocumentClient,
  TableName: string,
  { accountId, endpoint }: { readonly accountId: string; readonly endpoint: Endpoint },
): Promise<CreateEndpointOutcome | "again"> {
  const absent = "attribute_not_exists(pk)";
  const url = { ...deliveryKeys.endpointUrl(accountId, endpoint.url), endpoint_id: endpoint.id };
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: url, ConditionExpression: absent } },
          {
            Update: {
              TableName,
              Key: deliveryKeys.endpointCount(accountId),
              UpdateExpression: "ADD endpoints :one",
              ConditionExpression: "attribute_not_exists(endpoints) OR endpoints < :max",
              ExpressionAttributeValues: { ":one": 1, ":max": limits.webhookEndpointsMax },
            },
          },
          { Put: { TableName, Item: rowOf(accountId, endpoint), ConditionExpression: absent } },
        ],
      }),
    );
    return { outcome: "created" };
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons === undefined) throw error;
    if (isContention(reasons)) return "again";
    if (reasons[0] !== null) return { outcome: "url_taken" };
    if (reasons[1] !== null) return { outcome: "limit_reached" };
    throw error;
  }
}

const rowOf = (accountId: string, endpoint: Endpoint): Row => ({
  ...deliveryKeys.endpoint(accountId, endpoint.id),
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  enabled: endpoint.enabled,
  secret: endpoint.secret,
  secret_hint: endpoint.secretHint,
  previous_secret:
    endpoint.previousSecret === null
      ? null
      : { sealed: endpoint.previousSecret.sealed, expires_at: endpoint.previousSecret.expiresAt },
  created_at: endpoint.createdAt,
  updated_at: endpoint.updatedAt,
});

const countRow = object({ endpoints: optional(number(), 0) });
const urlRow = object({ endpoint_id: string() });
const endpointRow = object({
  id: string(),
  url: string(),
  description: nullable(string()),
  events: nullable(array(picklist(eventTypes))),
  enabled: boolean(),
  secret: string(),
  secret_hint: string(),
  previous_secret: nullable(object({ sealed: string(), expires_at: string() })),
  created_at: string(),
  updated_at: string(),
});

function endpointOf(accountId: string, stored: Row): Endpoint {
  const row = parse(endpointRow, stored);
  const previous = row.previous_secret;
  return {
    id: row.id,
    accountId,
    url: row.url,
    description: row.description,
    events: row.events,
    enabled: row.enabled,
    secret: row.secret,
    secretHint: row.secret_hint,
    previousSecret:
      previous === null ? null : { sealed: previous.sealed, expiresAt: previous.expires_at },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
