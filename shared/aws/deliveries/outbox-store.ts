import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { number, object, optional, parse, string, unknown } from "valibot";
import type { RandomSource, Clock } from "../../base/clock.ts";
import {
  type EntryQuery,
  type OutboxChanges,
  type ClaimResult,
  type HeldTarget,
  lanes,
  type OutboxEntry,
  type Lease,
  type OutboxStore,
  type ReleaseResult,
  type DeliveryTarget,
} from "../../outbox/outbox.ts";
import {
  beforeClaim,
  keepsClaim,
  type TargetTimes,
  waitingTargets,
} from "../../outbox/claim-limit.ts";
import { dueAt } from "../table/due-partitions.ts";
import { retryOnConflict, type Row, transactWrites, conditionalWrite } from "../table/dynamo.ts";
import { dynamoOutbox } from "./outbox.ts";
import { entryOf } from "./outbox-entry.ts";
import { entryWrite, type Write } from "./outbox-writes.ts";
import { firstRows, queryRows } from "../table/query-rows.ts";
import { deliveryKeys } from "../table/table.ts";

export interface DynamoOutboxOptions<LogRecord> {
  readonly tableName: string;
  /** Builds the write that stores a delivery or export in its log. */
  readonly recordWrite: (accountId: string, record: LogRecord) => Write;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Creates the store of outboxes in DynamoDB. Each delivery target has a row with its due time and
 * lease. Each entry has a row, which sorts by lane and due time.
 */
export function dynamoOutboxStore<LogRecord>(
  client: DynamoDBDocumentClient,
  options: DynamoOutboxOptions<LogRecord>,
): OutboxStore<LogRecord> {
  const { tableName } = options;
  return {
    ...dynamoOutbox(client, options),
    async claim(target, { lease, now }) {
      const others = await readOthers(client, tableName, target);
      const allowed = beforeClaim(others, now);
      if (allowed.outcome === "full") return null;
      const claimed = await claimTarget(client, options, { target, lease, now });
      if (claimed === null) return null;
      if (allowed.isContested) {
        const own = { targetId: target.targetId, leaseUntil: lease.until };
        const rivals = await readOthers(client, tableName, target);
        if (!keepsClaim(own, { others: rivals, taken: allowed.taken }, now)) {
          await giveBack(client, options, { target, token: lease.token, now });
          return null;
        }
      }
      return { ...claimed, crowded: allowed.isCrowded };
    },
    async waiting(accountId, now) {
      const targets = await readTargets(client, tableName, accountId);
      return waitingTargets(targets, now).map(({ targetId }) => ({ accountId, targetId }));
    },
    async all(target, limit) {
      const query = {
        TableName: tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: {
          ":pk": deliveryKeys.outboxEntry(target, { lane: "first", dueAt: "", key: "" }).pk,
        },
        ConsistentRead: true,
      };
      return (await firstRows(client, query, limit)).map(entryOf);
    },
    entries: (target, wanted) => readEntries(client, options, { target, ...wanted }),
    record: (target, change) =>
      transactWrites(client, recordWrites(options, { target, ...change }), options),
    release: (target, held) => releaseTarget(client, options, { target, ...held }),
  };
}

type Options = DynamoOutboxOptions<never>;

async function claimTarget(
  client: DynamoDBDocumentClient,
  options: Pick<Options, "tableName" | "clock" | "random">,
  {
    target,
    lease,
    now,
  }: { readonly target: DeliveryTarget; readonly lease: Lease; readonly now: Date },
): Promise<Omit<ClaimResult, "crowded"> | null> {
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key: deliveryKeys.outbox(target),
    UpdateExpression: "SET lease = :token, lease_until = :until, due_at = :until",
    // If the response of a claim is lost, the SDK repeats the write. The stored lease then has the
    // token of this claim already.
    ConditionExpression:
      "attribute_exists(due_at) AND (attribute_not_exists(lease) OR lease_until <= :now OR lease = :token)",
    ExpressionAttributeValues: {
      ":token": lease.token,
      ":until": lease.until.toISOString(),
      ":now": now.toISOString(),
    },
    ReturnValues: "ALL_NEW",
  });
  let claimed: Row | undefined;
  const taken = await conditionalWrite(async () => {
    claimed = (await retryOnConflict(options, () => client.send(command))).Attributes;
  });
  if (!taken) return null;
  const { additions, target_state: state } = parse(headRow, claimed ?? {});
  return { additions, state };
}

async function readOthers(
  client: DynamoDBDocumentClient,
  tableName: string,
  target: DeliveryTarget,
): Promise<readonly TargetTimes[]> {
  const targets = await readTargets(client, tableName, target.accountId);
  return targets.filter(({ targetId }) => targetId !== target.targetId);
}

/** Releases a lease that this process has just acquired, and makes the target due immediately. */
async function giveBack(
  client: DynamoDBDocumentClient,
  options: Pick<Options, "tableName" | "clock" | "random">,
  {
    target,
    token,
    now,
  }: { readonly target: DeliveryTarget; readonly token: string; readonly now: Date },
): Promise<void> {
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key: deliveryKeys.outbox(target),
    UpdateExpression: "SET due_at = :now REMOVE lease, lease_until",
    ConditionExpression: "lease = :token",
    ExpressionAttributeValues: { ":token": token, ":now": now.toISOString() },
  });
  await conditionalWrite(() => retryOnConflict(options, () => client.send(command)));
}

/**
 * Reads the rows of an account's targets that have a due time: at most ten webhook endpoints, and
 * the S3 destination.
 */
function readTargets(
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
    const { sk, due_at: due, lease_until: until } = parse(targetRow, row);
    return { targetId: sk, due: new Date(due), leaseUntil: new Date(until ?? 0) };
  });
}

async function readEntries(
  client: DynamoDBDocumentClient,
  { tableName }: Pick<Options, "tableName">,
  { target, lane, by, after, limit }: EntryQuery & { readonly target: DeliveryTarget },
): Promise<readonly OutboxEntry[]> {
  const keyAt = (due: string) => deliveryKeys.outboxEntry(target, { lane, dueAt: due, key: "" });
  // Sorts after every entry that is due at `time`.
  const past = (time: Date): string => keyAt(`${time.toISOString()}#~`).sk;
  const { pk, sk: first } = keyAt("");
  const from = after === undefined ? first.slice(0, -1) : past(after);
  const to = by === null ? keyAt("~").sk : past(by);
  const query = {
    TableName: tableName,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": pk, ":from": from, ":to": to },
    ConsistentRead: true,
  };
  return (await firstRows(client, query, limit)).map(entryOf);
}

/** Builds the writes of a change. The write of the target's row succeeds only under the lease. */
function recordWrites<LogRecord>(
  { tableName, recordWrite }: DynamoOutboxOptions<LogRecord>,
  change: {
    readonly target: DeliveryTarget;
    readonly lease: Lease;
    readonly changes: OutboxChanges<LogRecord>;
    readonly state?: unknown;
  },
): readonly Write[] {
  const { target, lease, changes, state } = change;
  const { removed, added, records } = changes;
  const head: Write = {
    Update: {
      TableName: tableName,
      Key: deliveryKeys.outbox(target),
      UpdateExpression:
        "SET lease_until = :until, due_at = :until" +
        (state === undefined ? "" : ", target_state = :state"),
      ConditionExpression: "lease = :token",
      ExpressionAttributeValues: {
        ":token": lease.token,
        ":until": lease.until.toISOString(),
        ...(state === undefined ? {} : { ":state": state }),
      },
    },
  };
  const rest = [
    ...removed.map((entry) => ({
      Delete: { TableName: tableName, Key: { ...deliveryKeys.outboxEntry(target, entry) } },
    })),
    ...added.map((entry) => entryWrite(tableName, target, entry)),
    ...records.map((record) => recordWrite(target.accountId, record)),
  ];
  // A transaction may write each row only once. If there are several writes for a row, the last one
  // applies.
  return [head, ...new Map(rest.map((write) => [rowOf(write), write])).values()];
}

const rowOf = ({ Put, Update, Delete }: Write): string => {
  const { pk, sk } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {};
  return `${pk} ${sk}`;
};

async function releaseTarget(
  client: DynamoDBDocumentClient,
  options: Pick<Options, "tableName" | "clock" | "random">,
  held: HeldTarget & { readonly target: DeliveryTarget },
): Promise<ReleaseResult> {
  const { target, token, additions } = held;
  const remaining = held.remaining ?? (await earliestEntries(client, options, target));
  const next = remaining.map((entry) => entry.dueAt).sort()[0] ?? null;
  const Key = deliveryKeys.outbox(target);
  const rest = next === null ? null : dueAt("outbox", Key, new Date(next));
  const command = new UpdateCommand({
    TableName: options.tableName,
    Key,
    UpdateExpression:
      rest === null
        ? "REMOVE lease, lease_until, due_kind, due_at"
        : "SET due_kind = :kind, due_at = :at REMOVE lease, lease_until",
    ConditionExpression: "lease = :token AND additions = :additions",
    ExpressionAttributeValues: {
      ":token": token,
      ":additions": additions,
      ...(rest === null ? {} : { ":kind": rest.due_kind, ":at": rest.due_at }),
    },
  });
  const released = await conditionalWrite(() =>
    retryOnConflict(options, () => client.send(command)),
  );
  if (released) return { outcome: "released", next: next === null ? null : new Date(next) };
  return findReleaseFailure(client, options.tableName, held);
}

/** Returns the earliest entry of each lane. */
async function earliestEntries(
  client: DynamoDBDocumentClient,
  options: Pick<Options, "tableName">,
  target: DeliveryTarget,
): Promise<readonly OutboxEntry[]> {
  const wanted = { target, by: null, limit: 1 };
  const found = lanes.map((lane) => readEntries(client, options, { ...wanted, lane }));
  return (await Promise.all(found)).flat();
}

/**
 * Returns the reason why a release failed: `more` if entries were added, `lost` if this worker no
 * longer has the lease.
 */
async function findReleaseFailure(
  client: DynamoDBDocumentClient,
  TableName: string,
  { target, token }: { readonly target: DeliveryTarget; readonly token: string },
): Promise<ReleaseResult> {
  const Key = deliveryKeys.outbox(target);
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const row = parse(headRow, Item ?? {});
  return row.lease === token ? { outcome: "more", additions: row.additions } : { outcome: "lost" };
}

const targetRow = object({ sk: string(), due_at: string(), lease_until: optional(string()) });
const headRow = object({
  additions: optional(number(), 0),
  lease: optional(string()),
  target_state: optional(unknown()),
});
