import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { boolean, nullable, object, parse, picklist, string, variant, literal } from "valibot";
import { assertNever } from "../base/assert.ts";
import { compressions, type Credentials, type Destination } from "../exports/destination.ts";
import type { DestinationReport, DestinationStore } from "../exports/destination-store.ts";
import { type Row, unlessRefused } from "./dynamo.ts";
import { deliveryKeys } from "./table.ts";

/** S3 destinations in DynamoDB: one row an account, with a revision that writes are made of. */
export function dynamoDestinationStore(
  client: DynamoDBDocumentClient,
  TableName: string,
): DestinationStore {
  const rowOf = (accountId: string) => ({ TableName, Key: deliveryKeys.destination(accountId) });
  const isRevision = "revision = :revision";
  return {
    async get(accountId) {
      const command = new GetCommand({ ...rowOf(accountId), ConsistentRead: true });
      const { Item } = await client.send(command);
      return Item === undefined ? null : destinationOf(Item);
    },
    put: (accountId, destination, replaces) =>
      unlessRefused(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...deliveryKeys.destination(accountId),
              ...settingsOf(destination),
              failing: destination.failing,
              last_success_at: destination.lastSuccessAt,
              last_error: destination.lastError,
              created_at: destination.createdAt,
            },
            ...(replaces === null
              ? { ConditionExpression: "attribute_not_exists(pk)" }
              : {
                  ConditionExpression: isRevision,
                  ExpressionAttributeValues: { ":revision": replaces },
                }),
          }),
        ),
      ),
    async change(accountId, destination, { revision, checked }) {
      let kept: Row | undefined;
      const set = { ...settingsOf(destination), ...(checked ? unfailed : {}) };
      const command = new UpdateCommand({
        ...rowOf(accountId),
        ...setting(set, { ":revision": revision }),
        ConditionExpression: isRevision,
        ReturnValues: "ALL_NEW",
      });
      const changed = await unlessRefused(async () => {
        kept = (await client.send(command)).Attributes;
      });
      return changed && kept !== undefined ? destinationOf(kept) : null;
    },
    async delete(accountId) {
      const command = new DeleteCommand({ ...rowOf(accountId), ReturnValues: "ALL_OLD" });
      return (await client.send(command)).Attributes !== undefined;
    },
    async report(accountId, revision, report) {
      const command = new UpdateCommand({
        ...rowOf(accountId),
        ...setting(reported(report), { ":revision": revision }),
        ConditionExpression: isRevision,
      });
      await unlessRefused(() => client.send(command));
    },
  };
}

const unfailed = { failing: false, last_error: null };

function reported(report: DestinationReport): Row {
  switch (report.outcome) {
    case "exported":
      return { ...unfailed, last_success_at: report.at.toISOString() };
    case "usable":
      return unfailed;
    case "failed":
      return { last_error: report.error, ...(report.givenUp ? { failing: true } : {}) };
    default:
      return assertNever(report);
  }
}

/** Sets these attributes and leaves all others as they are. */
function setting(row: Row, values: Row) {
  const names = Object.keys(row);
  return {
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}_set`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(names.map((name) => [`:${name}_set`, row[name]])),
    },
  };
}

/** What its owner set, and when. */
const settingsOf = (destination: Destination): Row => ({
  enabled: destination.enabled,
  bucket: destination.bucket,
  region: destination.region,
  endpoint: destination.endpoint,
  force_path_style: destination.forcePathStyle,
  prefix: destination.prefix,
  credentials: storedCredentials(destination.credentials),
  compression: destination.compression,
  revision: destination.revision,
  updated_at: destination.updatedAt,
});

const storedCredentials = (credentials: Credentials): Row =>
  credentials.auth === "role"
    ? { auth: "role", role_arn: credentials.roleArn }
    : {
        auth: "access_key",
        access_key_id: credentials.accessKeyId,
        secret_access_key: credentials.secretAccessKey,
        secret_hint: credentials.secretHint,
      };

const destinationRow = object({
  enabled: boolean(),
  bucket: string(),
  region: string(),
  endpoint: nullable(string()),
  force_path_style: boolean(),
  prefix: string(),
  credentials: variant("auth", [
    object({
      auth: literal("access_key"),
      access_key_id: string(),
      secret_access_key: string(),
      secret_hint: nullable(string()),
    }),
    object({ auth: literal("role"), role_arn: string() }),
  ]),
  compression: picklist(compressions),
  failing: boolean(),
  last_success_at: nullable(string()),
  last_error: nullable(string()),
  revision: string(),
  created_at: string(),
  updated_at: string(),
});

function destinationOf(stored: Row): Destination {
  const row = parse(destinationRow, stored);
  const { credentials } = row;
  return {
    enabled: row.enabled,
    bucket: row.bucket,
    region: row.region,
    endpoint: row.endpoint,
    forcePathStyle: row.force_path_style,
    prefix: row.prefix,
    credentials:
      credentials.auth === "role"
        ? { auth: "role", roleArn: credentials.role_arn }
        : {
            auth: "access_key",
            accessKeyId: credentials.access_key_id,
            secretAccessKey: credentials.secret_access_key,
            secretHint: credentials.secret_hint,
          },
    compression: row.compression,
    failing: row.failing,
    lastSuccessAt: row.last_success_at,
    lastError: row.last_error,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
