import { entryCount, type JournalRecord } from "../../credits/journal.ts";
import { dueAt } from "../table/due-partitions.ts";
import type { Row, TransactItem } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import { recordRow } from "./journal-row.ts";
import { holdRow, type OpenHold } from "./shard-row.ts";

/** The shard that an update changes, with its table. */
export interface ShardLocation {
  readonly table: string;
  readonly accountId: string;
  readonly shard: number;
}

type Update = NonNullable<TransactItem["Update"]>;

/**
 * The amounts to add to the numbers of a shard; negative to subtract. Absent numbers do not change.
 */
export interface Moves {
  readonly balance?: number;
  readonly held?: number;
  readonly spent?: number;
  readonly in_flight?: number;
  readonly old_in_flight?: number;
}

interface Change {
  readonly moves: Moves;
  readonly record: JournalRecord;
  /** The stored form of the record. @default the complete record */
  readonly recorded?: Row;
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly conditions?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Row;
}

/**
 * Builds an update that changes numbers of a shard and appends a record. The update takes effect
 * only if its stamp is newer than the stamp of the shard, so a late duplicate has no effect. The
 * update never makes a number negative.
 */
function shardUpdate({ table, accountId, shard }: ShardLocation, change: Change): Update {
  const { moves, record, recorded = recordRow(record), set = [], remove = [] } = change;
  const counts = Object.entries(moves).filter(([, by]) => by !== 0);
  const sums = counts.map(([name]) => `#${name} = #${name} + :${name}`);
  const taken = counts.filter(([, by]) => by < 0);
  const enough = taken.map(([name]) => `#${name} >= :${name}_taken`);
  const added = Math.max(0, moves.balance ?? 0);
  const assignments = [
    "#fence = :at",
    "#sequence = #sequence + :entries",
    "#journal = list_append(#journal, :records)",
    ...(added > 0 ? ["#added = #added + :added"] : []),
    ...sums,
    ...set,
  ];
  return {
    TableName: table,
    Key: accountKeys.shard(accountId, shard),
    UpdateExpression:
      `SET ${assignments.join(", ")}` + (remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : ""),
    ConditionExpression: ["#fence < :at", ...enough, ...(change.conditions ?? [])].join(" AND "),
    ExpressionAttributeNames: {
      "#fence": "fence",
      "#sequence": "sequence",
      "#journal": "journal",
      ...(added > 0 && { "#added": "added" }),
      ...Object.fromEntries(counts.map(([name]) => [`#${name}`, name])),
      ...change.names,
    },
    ExpressionAttributeValues: {
      ":at": record.at,
      ":entries": entryCount(record),
      ":records": [recorded],
      ...(added > 0 && { ":added": added }),
      ...Object.fromEntries(counts.map(([name, by]) => [`:${name}`, by])),
      ...Object.fromEntries(taken.map(([name, by]) => [`:${name}_taken`, -by])),
      ...change.values,
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

/**
 * Builds the update that moves credits from a shard's balance to the hold of a call, and occupies a
 * slot. The update fails if the shard lacks the credits or a free slot, already has the hold, or
 * has a stamp that is equal to `hold.at` or newer.
 * @param budget the account's daily budget, in credits, as this process has cached it; the update
 * also fails if the shard has another budget
 */
export function reserveUpdate(
  location: ShardLocation,
  holdId: string,
  { budget = null, ...hold }: OpenHold & { readonly budget?: number | null },
): Update {
  const { credits, at, expiresAt, source } = hold;
  const record: JournalRecord = { type: "reserve", at, holdId, credits, source };
  const { f: _inHold, ...recorded } = recordRow(record);
  const due = dueAt("hold", accountKeys.shard(location.accountId, location.shard), expiresAt);
  return shardUpdate(location, {
    moves: { balance: -credits, held: credits, in_flight: 1 },
    record,
    recorded,
    // Keeps an existing due mark, which only the sweeper changes. Most calls therefore do not write
    // to the due index.
    set: [
      "#holds.#hold = :hold",
      "#due_kind = if_not_exists(#due_kind, :due_kind)",
      "#due_at = if_not_exists(#due_at, :due_at)",
    ],
    conditions: [
      "#in_flight < #slots",
      "attribute_not_exists(#holds.#hold)",
      budgetCondition(budget),
    ],
    names: {
      "#holds": "holds",
      "#hold": holdId,
      "#slots": "slots",
      "#due_kind": "due_kind",
      "#due_at": "due_at",
      "#budget": "budget",
    },
    values: {
      ":hold": holdRow(hold),
      ":due_kind": due.due_kind,
      ":due_at": due.due_at,
      ...(budget !== null && { ":budget": budget }),
    },
  });
}

/**
 * Returns the condition that a shard still has the daily budget that the process has cached; null
 * means no budget. A refused write returns the shard with its current budget, so no other request
 * has to read it.
 */
const budgetCondition = (budget: number | null): string =>
  budget === null ? "attribute_not_exists(#budget)" : "#budget = :budget";

/** The resolution of a hold. */
interface Outcome {
  /** Stamp of the resolution. */
  readonly at: number;
  readonly charged: number;
  readonly items: number | undefined;
  readonly succeeded: boolean;
}

/**
 * Builds the update that resolves the hold of a call: charges a part of it, refunds the rest and
 * frees the slot. The update fails if the hold is not open, or if the shard has a stamp that is
 * equal to `outcome.at` or newer.
 */
export function settleUpdate(
  location: ShardLocation,
  { holdId, hold, outcome }: { holdId: string; hold: OpenHold; outcome: Outcome },
): Update {
  const { credits, source, budgetDay } = hold;
  const refunded = credits - outcome.charged;
  const day = budgetDay !== undefined && { budgetDay };
  return shardUpdate(location, {
    moves: { balance: refunded, held: -credits, spent: outcome.charged, in_flight: -1 },
    record: { type: "settle", holdId, refunded, source, ...outcome, ...day },
    remove: ["#holds.#hold"],
    // A later hold with the same ID may have replaced the hold. The later hold has another stamp.
    conditions: ["#holds.#hold.#a = :made"],
    names: { "#holds": "holds", "#hold": holdId, "#a": "a" },
    values: { ":made": hold.at },
  });
}

/** The number of shards of an account, and the number of slots of one of them. */
interface Size {
  readonly shards: number;
  readonly slots: number;
}

/**
 * Builds the update that adds credits to a shard or deducts them, and stores a record. The update
 * fails if it would make a balance or counter negative, or if the stamp of the record is not newer
 * than the newest stamp of the shard.
 *
 * If the change gives the account more slots, pass the new numbers of shards and slots as `size`.
 * If the change reserves credits, pass the daily budget that this process has cached as `budget`;
 * null means that the account has none. The update then fails if the shard has another budget.
 */
export const creditUpdate = (
  location: ShardLocation,
  {
    size,
    budget,
    ...change
  }: Pick<Change, "moves" | "record"> & {
    readonly size?: Size | undefined;
    readonly budget?: number | null;
  },
): Update =>
  shardUpdate(location, {
    ...change,
    ...(budget !== undefined && {
      conditions: [budgetCondition(budget)],
      names: { "#budget": "budget" },
      values: budget === null ? {} : { ":budget": budget },
    }),
    ...(size !== undefined && {
      set: ["#shards = :shards", "#slots = :slots"],
      names: { "#shards": "shards", "#slots": "slots" },
      values: { ":shards": size.shards, ":slots": size.slots },
    }),
  });

/**
 * Builds the update that stores the new numbers of shards and slots in a shard, after the lifetime
 * credits of the account have reached a higher concurrency tier.
 */
export const growUpdate = (
  { table, accountId, shard }: ShardLocation,
  { shards, slots }: Size,
): Update => ({
  TableName: table,
  Key: accountKeys.shard(accountId, shard),
  UpdateExpression: "SET shards = :shards, slots = :slots",
  ConditionExpression: "attribute_exists(pk)",
  ExpressionAttributeValues: { ":shards": shards, ":slots": slots },
});

/**
 * Builds the update that frees the slot of an unsharded call, which an earlier release started. The
 * slot and the credits of such a call may be in different shards. The update fails if the shard has
 * no slot of an unsharded call.
 */
export const freeOldSlot = ({ table, accountId, shard }: ShardLocation): Update => ({
  TableName: table,
  Key: accountKeys.shard(accountId, shard),
  UpdateExpression: "SET in_flight = in_flight - :one, old_in_flight = old_in_flight - :one",
  ConditionExpression: "old_in_flight >= :one",
  ExpressionAttributeValues: { ":one": 1 },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
});

/**
 * Builds the update that removes the oldest records of a shard after a page contains them. The
 * update fails if another process has already removed the records.
 */
export function trimUpdate(
  { table, accountId, shard }: ShardLocation,
  records: readonly JournalRecord[],
): Update {
  return {
    TableName: table,
    Key: accountKeys.shard(accountId, shard),
    // Removes the last record first, so that the positions of the other records stay valid.
    UpdateExpression: `REMOVE ${records.map((_, n) => `#journal[${records.length - 1 - n}]`).join(", ")}`,
    ConditionExpression: "#journal[0].#a = :first",
    ExpressionAttributeNames: { "#journal": "journal", "#a": "a" },
    ExpressionAttributeValues: { ":first": records[0]?.at },
  };
}
