import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { boolean, nullable, object, parse, picklist, string } from "valibot";
import type { Destination } from "../exports/destination.ts";
import type { DestinationStore, ExportReport } from "../exports/destination-store.ts";
import { isConditionFailure, type Row } from "./dynamo.ts";
import { deliveryKeys } from "./table.ts";

/** S3 destinations in DynamoDB. */
export function dynamoDestinationStore(
  client: DynamoDBDocumentClient,
  TableName: string,
): DestinationStore {
  return {
    async get(accountId) {
      const Key = deliveryKeys.destination(accountId);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item === undefined ? null : destinationOf(Item);
    },
    async put(accountId, destination) {
      const Item = { ...deliveryKeys.destination(accountId), ...attributesOf(destination) };
      const { Attributes } = await client.send(
        new PutCommand({ TableName, Item, ReturnValues: "ALL_OLD" }),
      );
      return Attributes === undefined ? "created" : "replaced";
    },
    async report(accountId, report) {
      try {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: deliveryKeys.destination(accountId),
            ConditionExpression: "attribute_exists(pk)",
            ...reportExpression(report),
          }),
        );
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
    },
  };
}

function reportExpression(report: ExportReport) {
  if (report.outcome === "succeeded") {
    return {
      UpdateExpression: "SET last_success_at = :at, last_error = :none, failing = :false",
      ExpressionAttributeValues: { ":at": report.at.toISOString(), ":none": null, ":false": false },
    };
  }
  const failing = report.givenUp ? ", failing = :true" : "";
  return {
    UpdateExpression: `SET last_error = :error${failing}`,
    ExpressionAttributeValues: {
      ":error": report.error,
      ...(report.givenUp ? { ":true": true } : {}),
    },
  };
}

const attributesOf = (destination: Destination): Row => ({
  enabled: destination.enabled,
  bucket: destination.bucket,
  region: destination.region,
  endpoint: destination.endpoint,
  force_path_style: destination.forcePathStyle,
  prefix: destination.prefix,
  auth: destination.auth,
  access_key_id: destination.accessKeyId,
  secret_access_key: destination.secretAccessKey,
  secret_hint: destination.secretHint,
  compression: destination.compression,
  failing: destination.failing,
  last_success_at: destination.lastSuccessAt,
  last_error: destination.lastError,
  created_at: destination.createdAt,
  updated_at: destination.updatedAt,
});

const destinationRow = object({
  enabled: boolean(),
  bucket: string(),
  region: string(),
  endpoint: nullable(string()),
  force_path_style: boolean(),
  prefix: string(),
  auth: picklist(["access_key"]),
  access_key_id: string(),
  secret_access_key: string(),
  secret_hint: string(),
  compression: picklist(["gzip", "none"]),
  failing: boolean(),
  last_success_at: nullable(string()),
  last_error: nullable(string()),
  created_at: string(),
  updated_at: string(),
});

function destinationOf(stored: Row): Destination {
  const row = parse(destinationRow, stored);
  return {
    enabled: row.enabled,
    bucket: row.bucket,
    region: row.region,
    endpoint: row.endpoint,
    forcePathStyle: row.force_path_style,
    prefix: row.prefix,
    auth: row.auth,
    accessKeyId: row.access_key_id,
    secretAccessKey: row.secret_access_key,
    secretHint: row.secret_hint,
    compression: row.compression,
    failing: row.failing,
    lastSuccessAt: row.last_success_at,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
