import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../base/limits.ts";
import type { OutboxEntry, DeliveryTarget } from "../../outbox/outbox.ts";
import { dueAt } from "../table/due-partitions.ts";
import { deliveryKeys, epochSeconds } from "../table/table.ts";

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
  return [
    ...entries.map((entry) => entryWrite(table, target, entry)),
    ...(due === undefined ? [] : [{ Update: wakeUpdate(table, target, new Date(due)) }]),
  ];
}

/**
 * Builds the update that makes a target due at `at`. It increments the target's count of additions.
 * The current lease holder therefore cannot release the target before it has read the new entries.
 */
export const wakeUpdate = (TableName: string, target: DeliveryTarget, at: Date) => {
  const Key = deliveryKeys.outbox(target);
  const due = dueAt("outbox", Key, at);
  return {
    TableName,
    Key,
    UpdateExpression: "SET due_kind = :kind, due_at = :at ADD additions :one",
    ExpressionAttributeValues: { ":kind": due.due_kind, ":at": due.due_at, ":one": 1 },
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
      lane: entry.lane,
      entry_due_at: entry.dueAt,
      entry_key: entry.key,
      content: entry.content,
      ttl: epochSeconds(new Date(entry.dueAt)) + entryDaysMax * 24 * 60 * 60,
    },
  },
});
