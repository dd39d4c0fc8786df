import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  boolean,
  literal,
  nullable,
  number,
  object,
  optional,
  parse,
  picklist,
  string,
  variant,
} from "valibot";
import { assertNever } from "../../base/assert.ts";
import type { Clock, RandomSource } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import {
  compressions,
  type Credentials,
  type Destination,
  snapshotChoices,
} from "../../exports/destination.ts";
import type { DestinationReport, DestinationStore } from "../../exports/destination-store.ts";
import type { DestinationSuccess } from "../../exports/export-record.ts";
import type { Write } from "../deliveries/outbox-writes.ts";
import { conditionalWrite, ifConditionHolds, retryOnConflict, type Row } from "../table/dynamo.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys } from "../table/table.ts";

const isRevision = "revision = :revision";

/** The deliveries table, with the clock and the random source for pauses before retries. */
export interface DynamoDestinationOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Creates the store of S3 destinations in DynamoDB, with one row for each account. Changes of an
 * existing row are conditional on its revision; a deletion is unconditional. Each write is repeated
 * while a transaction that records an export has locked the row.
 */
export function dynamoDestinationStore(
  client: DynamoDBDocumentClient,
  options: DynamoDestinationOptions,
): DestinationStore {
  const { tableName: TableName } = options;
  const rowOf = (accountId: string) => ({ TableName, Key: deliveryKeys.destination(accountId) });
  return {
    async get(accountId) {
      const row = await readRow(client, TableName, deliveryKeys.destination(accountId));
      return row === undefined ? null : destinationOf(row);
    },
    put(accountId, destination, replaces) {
      const command = new PutCommand({
        TableName,
        Item: {
          ...deliveryKeys.destination(accountId),
          ...settingsOf(destination),
          ...noFailures,
          failures_in_row: destination.failuresInRow,
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
      });
      return conditionalWrite(() => retryOnConflict(options, () => client.send(command)));
    },
    async change(accountId, destination, { revision, checked }) {
      const set = { ...settingsOf(destination), ...(checked ? noFailures : {}) };
      const command = new UpdateCommand({
        ...rowOf(accountId),
        ...updating({ set }, { ":revision": revision }),
        ConditionExpression: isRevision,
        ReturnValues: "ALL_NEW",
      });
      const written = await ifConditionHolds(() =>
        retryOnConflict(options, () => client.send(command)),
      );
      return written.outcome === "done" ? destinationOf(written.value.Attributes ?? {}) : null;
    },
    async delete(accountId) {
      const command = new DeleteCommand({ ...rowOf(accountId), ReturnValues: "ALL_OLD" });
      const { Attributes } = await retryOnConflict(options, () => client.send(command));
      return Attributes !== undefined;
    },
    async report(accountId, revision, report) {
      const command = new UpdateCommand({
        ...rowOf(accountId),
        ...updating(changesOf(report), { ":revision": revision }),
        ConditionExpression: isRevision,
      });
      await conditionalWrite(() => retryOnConflict(options, () => client.send(command)));
    },
  };
}

/**
 * Builds the write that stores the time of a successful export in the destination's row. The
 * condition of the write fails if the destination was deleted or has another revision.
 */
export const successWrite = (
  TableName: string,
  accountId: string,
  { revision, succeededAt: at }: DestinationSuccess,
): Write => ({
  Update: {
    TableName,
    Key: deliveryKeys.destination(accountId),
    ...updating(
      { set: { ...noFailures, last_success_at: at.toISOString() } },
      { ":revision": revision },
    ),
    ConditionExpression: isRevision,
  },
});

interface RowChanges {
  readonly set: Row;
  /** Name of an attribute to increment by one. */
  readonly increment?: string;
}

/**
 * The attributes of a destination without failures. This release does not use `failing`, but the
 * previous release cannot parse a row without it.
 */
const noFailures = { failures_in_row: 0, failing: false, last_error: null };

/** Returns the attributes that the report of an attempt changes. */
function changesOf(report: DestinationReport): RowChanges {
  switch (report.outcome) {
    case "usable":
      return { set: noFailures };
    case "unusable":
      return { set: { last_error: report.error } };
    case "failed":
      return { set: { last_error: report.error }, increment: "failures_in_row" };
    default:
      return assertNever(report);
  }
}

/** Builds the parameters of an update that makes these changes and keeps all other attributes. */
function updating({ set, increment }: RowChanges, values: Row) {
  const names = Object.keys(set);
  const clauses = [
    `SET ${names.map((name) => `#${name} = :${name}_set`).join(", ")}`,
    ...(increment === undefined ? [] : [`ADD ${increment} :one`]),
  ];
  return {
    UpdateExpression: clauses.join(" "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(names.map((name) => [`:${name}_set`, set[name]])),
      ...(increment === undefined ? {} : { ":one": 1 }),
    },
  };
}

/** Returns the attributes that the customer sets, with the time and the revision of the change. */
const settingsOf = (destination: Destination): Row => ({
  enabled: destination.enabled,
  bucket: destination.bucket,
  region: destination.region,
  endpoint: destination.endpoint,
  force_path_style: destination.forcePathStyle,
  prefix: destination.prefix,
  credentials: storedCredentials(destination.credentials),
  compression: destination.compression,
  rows: destination.rows,
  snapshot: destination.snapshot,
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
  /** Absent in rows of earlier releases. */
  rows: optional(boolean(), false),
  /** Absent in rows of earlier releases. */
  snapshot: optional(picklist(snapshotChoices), "none"),
  failures_in_row: optional(number(), 0),
  /** Only the previous release sets this attribute, when an export has exhausted its retries. */
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
    rows: row.rows,
    snapshot: row.snapshot,
    failuresInRow: Math.max(row.failures_in_row, row.failing ? limits.failuresUntilFailing : 0),
    lastSuccessAt: row.last_success_at,
    lastError: row.last_error,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
