import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { parse } from "valibot";
import {
  type EntryQuery,
  type OutboxChanges,
  type HeldTarget,
  lanes,
  type OutboxEntry,
  type Lease,
  type OutboxStore,
  type ReleaseResult,
  type DeliveryTarget,
} from "../../outbox/outbox.ts";
import { waitingTargets } from "../../outbox/claim-limit.ts";
import { dueAt } from "../table/due-partitions.ts";
import {
  attemptUnlessThrottled,
  isConditionFailure,
  retryOnConflict,
  retryWhileContended,
  transact,
  type TransactionCanceledItem,
} from "../table/dynamo.ts";
import { dynamoOutbox, type DynamoOutboxBase } from "./outbox.ts";
import { admitTarget, claimTarget, headRow, readTargets } from "./outbox-claim.ts";
import { entryOf } from "./outbox-entry.ts";
import { emptiedLeaseUntil, entryWrite, type Write } from "./outbox-writes.ts";
import { firstRows } from "../table/query-rows.ts";
import { deliveryKeys } from "../table/table.ts";

/** Options of an outbox store whose targets have a log with records of type `LogRecord`. */
export interface DynamoOutboxOptions<LogRecord> extends DynamoOutboxBase {
  /**
   * Builds the write that stores a record in the log of its target. If the write has a condition
   * and the condition fails, the transaction takes effect without this write.
   */
  readonly recordWrite: (accountId: string, record: LogRecord) => Write;
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
    claim: (target, claim) => claimTarget(client, options, { target, ...claim }),
    admit: (target, claim) => admitTarget(client, options, { target, ...claim }),
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
    async record(target, { lease, changes, state }) {
      const head = extension(tableName, target, { lease, state });
      const stored = await storeUnderLease(client, options, { target, head, changes });
      return stored.outcome === "stored";
    },
    async release(target, held, last) {
      if (last === undefined) return releaseTarget(client, options, { target, ...held });
      const { update, next } = releaseOf(tableName, target, {
        ...held,
        remaining: held.remaining ?? [],
        state: last.state,
      });
      const { changes } = last;
      const stored = await storeUnderLease(client, options, { target, head: update, changes });
      return stored.outcome === "stored"
        ? { outcome: "released", next }
        : releaseFailure(held.token, stored.item);
    },
  };
}

/**
 * Reads the first `limit` entries of one lane that are due at `by` or earlier (null: all entries),
 * and later than `after` if it is defined.
 */
async function readEntries(
  client: DynamoDBDocumentClient,
  { tableName }: Pick<DynamoOutboxBase, "tableName">,
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

/** The update of a target's row. It is conditional on the lease. */
type HeadUpdate = NonNullable<Write["Update"]>;

/** Builds the update that extends a lease. */
const extension = (
  TableName: string,
  target: DeliveryTarget,
  { lease, state }: { readonly lease: Lease; readonly state: unknown },
): HeadUpdate => ({
  TableName,
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
});

type StoreOutcome =
  | { readonly outcome: "stored" }
  /** The update of the target's row failed its condition. `item`: the row, if it was returned. */
  | { readonly outcome: "refused"; readonly item: TransactionCanceledItem | undefined };

/**
 * Stores changes together with the update of the target's row, in one transaction. Repeats the
 * transaction while rows are contended. If the condition of a log record fails, repeats the
 * transaction without this record.
 * @throws 503 UNAVAILABLE if rows stay contended or throttled
 */
async function storeUnderLease<LogRecord>(
  client: DynamoDBDocumentClient,
  { tableName, recordWrite, ...patience }: DynamoOutboxOptions<LogRecord>,
  {
    target,
    head,
    changes: { removed, added, records },
  }: {
    readonly target: DeliveryTarget;
    readonly head: HeadUpdate;
    readonly changes: OutboxChanges<LogRecord>;
  },
): Promise<StoreOutcome> {
  const all: Write[] = [
    ...removed.map((entry) => ({
      Delete: { TableName: tableName, Key: { ...deliveryKeys.outboxEntry(target, entry) } },
    })),
    ...added.map((entry) => entryWrite(tableName, target, entry)),
    ...records.map((one) => recordWrite(target.accountId, one)),
  ];
  // A transaction may write each row only once. If there are several writes for a row, the last one
  // applies.
  let rest = [...new Map(all.map((write) => [rowOf(write), write])).values()];
  return retryWhileContended(patience, (note) =>
    attemptUnlessThrottled<StoreOutcome | "again">(note, async () => {
      const result = await transact(client, [{ Update: head }, ...rest]);
      if (result.outcome === "done") return { outcome: "stored" };
      if (result.outcome === "contended") return "again";
      const [refusal, ...others] = result.reasons;
      if (refusal != null) return { outcome: "refused", item: refusal.item };
      rest = rest.filter((_, n) => others[n] == null);
      return "again";
    }),
  );
}

/** Returns a text that identifies the row of a write. */
const rowOf = ({ Put, Update, Delete }: Write): string => {
  const { pk, sk } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? {};
  return `${pk} ${sk}`;
};

/**
 * Builds the update that releases a lease, and returns the due time of the earliest entry that
 * remains; null for an empty outbox. For an empty outbox, the update also resets `additions` to 0.
 */
function releaseOf(
  TableName: string,
  target: DeliveryTarget,
  {
    token,
    additions,
    remaining,
    state,
  }: Pick<HeldTarget, "token" | "additions"> & {
    readonly remaining: readonly OutboxEntry[];
    readonly state?: unknown;
  },
): { readonly update: HeadUpdate; readonly next: Date | null } {
  const next = remaining.map((entry) => entry.dueAt).sort()[0] ?? null;
  const Key = deliveryKeys.outbox(target);
  const rest = next === null ? null : dueAt("outbox", Key, new Date(next));
  const set =
    rest === null ? "lease_until = :emptied, additions = :none" : "due_kind = :kind, due_at = :at";
  const removed = rest === null ? "due_kind, due_at" : "lease_until";
  const update: HeadUpdate = {
    TableName,
    Key,
    UpdateExpression:
      `SET ${set}${state === undefined ? "" : ", target_state = :state"} ` +
      `REMOVE lease, claimed_at, entry_copy, ${removed}`,
    ConditionExpression: "lease = :token AND additions = :additions",
    ExpressionAttributeValues: {
      ":token": token,
      ":additions": additions,
      ...(state === undefined ? {} : { ":state": state }),
      ...(rest === null
        ? { ":emptied": emptiedLeaseUntil, ":none": 0 }
        : { ":kind": rest.due_kind, ":at": rest.due_at }),
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  return { update, next: next === null ? null : new Date(next) };
}

/** Releases a lease without other changes. `OutboxStore.release` describes the result. */
async function releaseTarget(
  client: DynamoDBDocumentClient,
  options: DynamoOutboxBase,
  { target, ...held }: HeldTarget & { readonly target: DeliveryTarget },
): Promise<ReleaseResult> {
  const remaining = held.remaining ?? (await earliestEntries(client, options, target));
  const { update, next } = releaseOf(options.tableName, target, { ...held, remaining });
  try {
    await retryOnConflict(options, () => client.send(new UpdateCommand(update)));
    return { outcome: "released", next };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    return releaseFailure(held.token, error.Item);
  }
}

/**
 * Returns why a release failed: `more` if entries were added, `lost` if this worker no longer has
 * the lease.
 */
function releaseFailure(token: string, item: TransactionCanceledItem | undefined): ReleaseResult {
  const row = parse(headRow, item === undefined ? {} : unmarshall(item));
  return row.lease === token ? { outcome: "more", additions: row.additions } : { outcome: "lost" };
}

/** Returns the earliest entry of each lane. */
async function earliestEntries(
  client: DynamoDBDocumentClient,
  options: Pick<DynamoOutboxBase, "tableName">,
  target: DeliveryTarget,
): Promise<readonly OutboxEntry[]> {
  const wanted = { target, by: null, limit: 1 };
  const found = lanes.map((lane) => readEntries(client, options, { ...wanted, lane }));
  return (await Promise.all(found)).flat();
}
