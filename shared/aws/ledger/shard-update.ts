import { entryCount, type JournalRecord } from "../../credits/journal.ts";
import { dueAt } from "../table/due-partitions.ts";
import type { Row, TransactItem } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import { recordRow } from "./journal-row.ts";
import { holdRow, type OpenHold } from "./shard-row.ts";

/** The shard that an update changes. */
export interface Place {
  readonly table: string;
  readonly accountId: string;
  readonly shard: number;
}

type Update = NonNullable<TransactItem["Update"]>;

/** By how much an update changes each count of a shard. An absent count does not change. */
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
  /** The record as the row keeps it. @default all of it */
  readonly recorded?: Row;
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly conditions?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Row;
}

/**
 * An update that changes counts of a shard and appends its record. It takes effect only if the shard has
 * an older stamp, so that a late duplicate of a request has no effect. It never makes a count negative.
 */
function shardUpdate({ table, accountId, shard }: Place, change: Change): Update {
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

/** Moves credits into the hold of a call, which takes a slot. */
export function reserveUpdate(place: Place, holdId: string, hold: OpenHold): Update {
  const { credits, at, expiresAt, source } = hold;
  const record: JournalRecord = { type: "reserve", at, holdId, credits, source };
  const { f: _inHold, ...recorded } = recordRow(record);
  const due = dueAt("hold", accountKeys.shard(place.accountId, place.shard), expiresAt);
  return shardUpdate(place, {
    moves: { balance: -credits, held: credits, in_flight: 1 },
    record,
    recorded,
    // Only the sweeper changes an existing mark, so that a call does not write the index.
    set: [
      "#holds.#hold = :hold",
      "#due_kind = if_not_exists(#due_kind, :due_kind)",
      "#due_at = if_not_exists(#due_at, :due_at)",
    ],
    conditions: ["#in_flight < #slots", "attribute_not_exists(#holds.#hold)"],
    names: {
      "#holds": "holds",
      "#hold": holdId,
      "#slots": "slots",
      "#due_kind": "due_kind",
      "#due_at": "due_at",
    },
    values: { ":hold": holdRow(hold), ":due_kind": due.due_kind, ":due_at": due.due_at },
  });
}

interface Outcome {
  readonly at: number;
  readonly charged: number;
  readonly items: number | undefined;
  readonly succeeded: boolean;
}

/** Resolves the hold of a call: charges part of it, gives back the rest and the slot. */
export function settleUpdate(
  place: Place,
  { holdId, hold, outcome }: { holdId: string; hold: OpenHold; outcome: Outcome },
): Update {
  const { credits, source } = hold;
  const refunded = credits - outcome.charged;
  return shardUpdate(place, {
    moves: { balance: refunded, held: -credits, spent: outcome.charged, in_flight: -1 },
    record: { type: "settle", holdId, refunded, source, ...outcome },
    remove: ["#holds.#hold"],
    // A later hold with the same ID has another stamp.
    conditions: ["#holds.#hold.#a = :made"],
    names: { "#holds": "holds", "#hold": holdId, "#a": "a" },
    values: { ":made": hold.at },
  });
}

/** How many shards an account has, and how many slots one of them has. */
interface Size {
  readonly shards: number;
  readonly slots: number;
}

/** Adds or takes credits, with a record. `size` is set if the change gives the account more slots. */
export const creditUpdate = (
  place: Place,
  { size, ...change }: Pick<Change, "moves" | "record"> & { readonly size?: Size | undefined },
): Update =>
  shardUpdate(place, {
    ...change,
    ...(size !== undefined && {
      set: ["#shards = :shards", "#slots = :slots"],
      names: { "#shards": "shards", "#slots": "slots" },
      values: { ":shards": size.shards, ":slots": size.slots },
    }),
  });

/** Stores the new number of shards and slots in a shard after its account has grown. */
export const growUpdate = (
  { table, accountId, shard }: Place,
  { shards, slots }: Size,
): Update => ({
  TableName: table,
  Key: accountKeys.shard(accountId, shard),
  UpdateExpression: "SET shards = :shards, slots = :slots",
  ConditionExpression: "attribute_exists(pk)",
  ExpressionAttributeValues: { ":shards": shards, ":slots": slots },
});

/** Frees the slot of a call from before the account had shards; another shard has its credits. */
export const freeOldSlot = ({ table, accountId, shard }: Place): Update => ({
  TableName: table,
  Key: accountKeys.shard(accountId, shard),
  UpdateExpression: "SET in_flight = in_flight - :one, old_in_flight = old_in_flight - :one",
  ConditionExpression: "old_in_flight >= :one",
  ExpressionAttributeValues: { ":one": 1 },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
});

/** Removes the oldest records from a shard after a page has them. */
export function trimUpdate(
  { table, accountId, shard }: Place,
  records: readonly JournalRecord[],
): Update {
  return {
    TableName: table,
    Key: accountKeys.shard(accountId, shard),
    // From last to first, so that a removal does not shift the elements that follow in the list.
    UpdateExpression: `REMOVE ${records.map((_, n) => `#journal[${records.length - 1 - n}]`).join(", ")}`,
    ConditionExpression: "#journal[0].#a = :first",
    ExpressionAttributeNames: { "#journal": "journal", "#a": "a" },
    ExpressionAttributeValues: { ":first": records[0]?.at },
  };
}
