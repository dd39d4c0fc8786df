import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { OutboxEntry, DeliveryTarget } from "../../outbox/outbox.ts";
import { dueAt } from "../table/due-partitions.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";
import { entryAttributes } from "./outbox-entry.ts";

/** One write of a transaction. */
export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/**
 * Days from an entry's due time until its row expires: the retention of events and a margin for
 * retries.
 */
const entryDaysMax = limits.eventRetentionDays + 5;

/**
 * Builds the writes that add entries to a target and make the target due when its earliest new
 * entry is due. Returns no writes if there are no entries.
 */
export function additionWrites(
  table: string,
  target: DeliveryTarget,
  entries: readonly OutboxEntry[],
): readonly Write[] {
  const due = entries.map((entry) => entry.dueAt).sort()[0];
  if (due === undefined) return [];
  const [only] = entries.length === 1 ? entries : [];
  return [
    ...entries.map((entry) => entryWrite(table, target, entry)),
    { Update: wakeUpdate(table, target, { at: new Date(due), only }) },
  ];
}

/**
 * The value of `lease_until` that marks an outbox as empty at the end of its last lease. No lease
 * ends so early. Each claim overwrites the mark, even a claim by the previous version of the
 * service. While a row has the mark, the outbox therefore has only entries that were added since.
 */
export const emptiedLeaseUntil = new Date(0).toISOString();

/**
 * Builds the update that makes a target due. It increments `additions`, so that the current lease
 * holder cannot release the target before it reads the new entries.
 * @param wake `at`: the due time; `only`: the entry that the same transaction adds, if it adds
 * exactly one. The update copies this entry into the row of the target. If the outbox was empty,
 * the next claim then returns the entry, so that the worker need not read the outbox.
 */
export const wakeUpdate = (
  TableName: string,
  target: DeliveryTarget,
  { at, only }: { readonly at: Date; readonly only?: OutboxEntry | undefined },
) => {
  const Key = deliveryKeys.outbox(target);
  const due = dueAt("outbox", Key, at);
  const copy = only === undefined ? {} : { ":copy": entryAttributes(only) };
  return {
    TableName,
    Key,
    UpdateExpression:
      "SET due_kind = :kind, due_at = :at" +
      (only === undefined ? "" : ", entry_copy = :copy") +
      " ADD additions :one",
    ExpressionAttributeValues: { ":kind": due.due_kind, ":at": due.due_at, ":one": 1, ...copy },
  };
};

/**
 * Builds the write that stores an outbox entry. It replaces an entry with the same key. The row
 * expires `entryDaysMax` days after the due time.
 */
export const entryWrite = (
  TableName: string,
  target: DeliveryTarget,
  entry: OutboxEntry,
): Write => ({
  Put: {
    TableName,
    Item: {
      ...deliveryKeys.outboxEntry(target, entry),
      ...entryAttributes(entry),
      ttl: epochSeconds(new Date(entry.dueAt)) + entryDaysMax * 24 * 60 * 60,
    },
  },
});
