import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  type InferOutput,
  number,
  object,
  optional,
  parse,
  record,
  string,
  unknown,
} from "valibot";
import { afterClaim, type TargetTimes } from "../../outbox/claim-limit.ts";
import { targetsAtOnceMax } from "../../outbox/lease.ts";
import type {
  Admission,
  ClaimResult,
  DeliveryTarget,
  Lease,
  OutboxEntry,
} from "../../outbox/outbox.ts";
import { conditionalWrite, ifConditionHolds, retryOnConflict } from "../table/dynamo.ts";
import { queryRows } from "../table/query-rows.ts";
import { readRow } from "../table/row-reads.ts";
import { deliveryKeys } from "../table/table.ts";
import { endpointCountOf } from "./endpoint-row.ts";
import type { DynamoOutboxBase } from "./outbox.ts";
import { entryOf } from "./outbox-entry.ts";
import { emptiedLeaseUntil } from "./outbox-writes.ts";

interface Claim {
  readonly target: DeliveryTarget;
  readonly lease: Lease;
  readonly now: Date;
}

/** The row of a delivery target. */
export const headRow = object({
  additions: optional(number(), 0),
  due_at: optional(string()),
  lease: optional(string()),
  lease_until: optional(string()),
  target_state: optional(unknown()),
  entry_copy: optional(record(string(), unknown())),
});
type HeadRow = InferOutput<typeof headRow>;
const targetRow = object({
  sk: string(),
  due_at: string(),
  lease_until: optional(string()),
  claimed_at: optional(string()),
});

/** Claims a target. `OutboxStore.claim` describes the result. */
export async function claimTarget(
  client: DynamoDBDocumentClient,
  options: DynamoOutboxBase,
  { target, lease, now }: Claim,
): Promise<ClaimResult | null> {
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key: deliveryKeys.outbox(target),
    UpdateExpression:
      "SET lease = :token, lease_until = :until, due_at = :until, claimed_at = :now",
    // If the response of a claim is lost, the SDK repeats the write. The condition then accepts the
    // stored lease, because it already has the token of this claim.
    ConditionExpression:
      "attribute_exists(due_at) AND (attribute_not_exists(lease) OR lease_until <= :now OR lease = :token)",
    ExpressionAttributeValues: {
      ":token": lease.token,
      ":until": lease.until.toISOString(),
      ":now": now.toISOString(),
    },
    ReturnValues: "ALL_OLD",
  });
  const written = await ifConditionHolds(() =>
    retryOnConflict(options, () => client.send(command)),
  );
  if (written.outcome === "refused") return null;
  const before = parse(headRow, written.value.Attributes ?? {});
  const { additions, due_at: dueAt, target_state: state, ...head } = before;
  const due = dueAt === undefined ? now : earlierOf(new Date(dueAt), now);
  return { additions, due, state, entries: entriesIn({ additions, ...head }) };
}

const earlierOf = (one: Date, other: Date): Date => (one < other ? one : other);

/**
 * Returns all entries of an outbox, from the row of its target as it was before the claim. Null
 * unless the row shows that the outbox was empty at the end of the last lease, and that exactly one
 * entry was added since. The addition has then copied the entry into the row.
 */
function entriesIn({
  additions,
  lease,
  lease_until: until,
  entry_copy: copy,
}: Pick<HeadRow, "additions" | "lease" | "lease_until" | "entry_copy">): OutboxEntry[] | null {
  const wasEmptied = lease === undefined && until === emptiedLeaseUntil;
  return wasEmptied && additions === 1 && copy !== undefined ? [entryOf(copy)] : null;
}

/**
 * Number of targets that an account can have beside its webhook endpoints: the S3 destination and
 * the event bus. Deleted endpoints are not included, because their entries are never sent.
 */
const otherTargets = 2;

/**
 * Checks after a claim how many targets of the account are claimed at the same time.
 * `OutboxStore.admit` describes the result.
 */
export async function admitTarget(
  client: DynamoDBDocumentClient,
  options: DynamoOutboxBase,
  { target, lease, now, due }: Claim & Pick<ClaimResult, "due">,
): Promise<Admission | null> {
  const { tableName } = options;
  const count = await readRow(client, tableName, deliveryKeys.endpointCount(target.accountId));
  if (endpointCountOf(count) + otherTargets <= targetsAtOnceMax) return { crowded: false };
  const others = await readOthers(client, tableName, target);
  const decision = afterClaim({ targetId: target.targetId, claimedAt: now }, others, now);
  if (decision.outcome === "free") return { crowded: decision.isCrowded };
  await giveBack(client, options, { target, token: lease.token, due });
  return null;
}

/** Reads the targets of the account that have a due time, except `target`. */
async function readOthers(
  client: DynamoDBDocumentClient,
  tableName: string,
  target: DeliveryTarget,
): Promise<readonly TargetTimes[]> {
  const targets = await readTargets(client, tableName, target.accountId);
  return targets.filter(({ targetId }) => targetId !== target.targetId);
}

/**
 * Releases a lease that this process has just got, and makes the target due at `due` again, so that
 * it keeps its place among the waiting targets of the account. `due` is never in the future,
 * because an entry that was added since the claim may already be due.
 */
async function giveBack(
  client: DynamoDBDocumentClient,
  options: DynamoOutboxBase,
  {
    target,
    token,
    due,
  }: { readonly target: DeliveryTarget; readonly token: string; readonly due: Date },
): Promise<void> {
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key: deliveryKeys.outbox(target),
    UpdateExpression: "SET due_at = :due REMOVE lease, lease_until, claimed_at",
    ConditionExpression: "lease = :token",
    ExpressionAttributeValues: { ":token": token, ":due": due.toISOString() },
  });
  await conditionalWrite(() => retryOnConflict(options, () => client.send(command)));
}

/**
 * Reads the rows of an account's targets that have a due time: at most ten webhook endpoints,
 * the S3 destination and the event bus.
 */
export function readTargets(
  client: DynamoDBDocumentClient,
  TableName: string,
  accountId: string,
): Promise<readonly TargetTimes[]> {
  const { pk } = deliveryKeys.outbox({ accountId, targetId: "" });
  const rows = queryRows(client, {
    TableName,
    KeyConditionExpression: "pk = :pk",
    FilterExpression: "attribute_exists(due_at)",
    ExpressionAttributeValues: { ":pk": pk },
    ConsistentRead: true,
  });
  return Array.fromAsync(rows, (row) => {
    const { sk, due_at: due, lease_until: until, claimed_at: claimed } = parse(targetRow, row);
    return {
      targetId: sk,
      due: new Date(due),
      leaseUntil: new Date(until ?? 0),
      claimedAt: claimed === undefined ? null : new Date(claimed),
    };
  });
}
