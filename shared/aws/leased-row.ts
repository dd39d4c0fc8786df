import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { number, optional, string } from "valibot";
import { limits } from "../base/limits.ts";
import type { Claim, Lease, WorkPointer } from "../webhooks/work.ts";
import { isConditionFailure, type Row } from "./dynamo.ts";
import { deliveryKeys, dueAt, epochSeconds } from "./table.ts";

/** What every row of outgoing work holds, for the schemas of the kinds. */
export const workEntries = {
  sk: string(),
  attempt: number(),
  due_at: optional(string()),
  lease: optional(string()),
  created_at: string(),
};

interface WorkAttributes {
  readonly sk: string;
  readonly attempt: number;
  readonly due_at?: string | undefined;
  readonly lease?: string | undefined;
  readonly created_at: string;
}

/** The part of a piece of work that every kind has. */
export const workOf = (row: WorkAttributes) => ({
  id: row.sk,
  attempt: row.attempt,
  dueAt: row.due_at ?? null,
  leased: row.lease !== undefined,
  createdAt: row.created_at,
});

type WorkKind = WorkPointer["kind"];

interface NewRow {
  readonly attributes: Row;
  readonly createdAt: string;
  readonly dueAt: string | null;
  readonly lease: Lease | null;
}

/** What a holder of the lease writes; `dueAt` null takes the row out of the due index. */
interface LeasedChange {
  readonly token: string;
  readonly set: Row;
  readonly dueAt: Date | null;
  readonly keepLease: boolean;
}

/** Rows of outgoing work of one kind, which one worker at a time may take. */
export interface LeasedRows {
  open(accountId: string, id: string, row: NewRow): Promise<boolean>;
  get(accountId: string, id: string): Promise<Row | undefined>;
  claim(accountId: string, id: string, claim: Claim): Promise<boolean>;
  change(accountId: string, id: string, change: LeasedChange): Promise<boolean>;
}

/**
 * `due_at` is the one truth: a row may be taken when it has passed, and a lease is nothing but a
 * `due_at` in the future with its holder's token. Every write carries the token in its condition, so
 * that a repeat by the SDK after a lost answer is recognised as the holder's own.
 */
export function leasedRows(
  client: DynamoDBDocumentClient,
  table: { readonly tableName: string; readonly kind: WorkKind },
): LeasedRows {
  const { tableName: TableName, kind } = table;
  const keyOf = (accountId: string, id: string) => deliveryKeys.work({ kind, accountId, id });
  return {
    open: (accountId, id, row) =>
      unlessRefused(
        client.send(
          new PutCommand({
            TableName,
            Item: { ...keyOf(accountId, id), ...newAttributes(row) },
            ConditionExpression: "attribute_not_exists(pk) OR lease = :token",
            ExpressionAttributeValues: { ":token": row.lease?.token ?? noToken },
          }),
        ),
      ),
    async get(accountId, id) {
      const Key = keyOf(accountId, id);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item;
    },
    claim: (accountId, id, claim) =>
      unlessRefused(
        client.send(
          new UpdateCommand({ TableName, Key: keyOf(accountId, id), ...claimExpression(claim) }),
        ),
      ),
    change: (accountId, id, change) =>
      unlessRefused(
        client.send(
          new UpdateCommand({ TableName, Key: keyOf(accountId, id), ...changeExpression(change) }),
        ),
      ),
  };
}

/** Equal to no token, as those are never empty. */
const noToken = "";

function newAttributes({ attributes, createdAt, dueAt: due, lease }: NewRow): Row {
  const created = new Date(createdAt);
  const ttl = epochSeconds(created) + limits.eventRetentionDays * 24 * 60 * 60;
  const at = lease?.until ?? (due === null ? null : new Date(due));
  return {
    ...attributes,
    created_at: createdAt,
    ttl,
    ...(at === null ? {} : dueAt("delivery", at)),
    ...(lease === null ? {} : { lease: lease.token }),
  };
}

const claimExpression = ({ token, until, now, attempt }: Claim) => ({
  UpdateExpression: "SET lease = :token, due_at = :until, #attempt = :attempt",
  ConditionExpression: "lease = :token OR (due_at <= :now AND #attempt = :before)",
  ExpressionAttributeNames: { "#attempt": "attempt" },
  ExpressionAttributeValues: {
    ":token": token,
    ":until": until.toISOString(),
    ":now": now.toISOString(),
    ":attempt": attempt,
    ":before": attempt - 1,
  },
});

function changeExpression({ token, set, dueAt: due, keepLease }: LeasedChange) {
  const assigned = Object.entries({ ...set, ...(due === null ? {} : dueAt("delivery", due)) });
  const removed = [
    ...(keepLease ? [] : ["lease"]),
    ...(due === null ? ["due_kind", "due_at"] : []),
  ];
  const assignments = assigned.map((_, i) => `#a${i} = :a${i}`).join(", ");
  const removals = removed.length === 0 ? "" : ` REMOVE ${removed.join(", ")}`;
  return {
    UpdateExpression: `SET ${assignments}${removals}`,
    ConditionExpression: "lease = :token",
    ExpressionAttributeNames: Object.fromEntries(assigned.map(([name], i) => [`#a${i}`, name])),
    ExpressionAttributeValues: {
      ":token": token,
      ...Object.fromEntries(assigned.map(([, value], i) => [`:a${i}`, value])),
    },
  };
}

async function unlessRefused(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}
