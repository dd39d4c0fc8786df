import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { OutboxEntry, PendingWork } from "../../outbox/outbox.ts";
import { entryOf } from "./outbox-entry.ts";
import { queryRows } from "../table/query-rows.ts";
import { deliveryKeys } from "../table/table.ts";

/**
 * Creates the reader of entries that have had no attempt yet. These are in lane `first` of the
 * outboxes. The lists of deliveries and exports show them as pending.
 */
export function dynamoPendingWork(client: DynamoDBDocumentClient, TableName: string): PendingWork {
  return {
    async targets(accountId) {
      // A target's row has a due time while the target has entries.
      const rows = queryRows(client, {
        TableName,
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "attribute_exists(due_at)",
        ExpressionAttributeValues: { ":pk": deliveryKeys.outbox({ accountId, targetId: "" }).pk },
        ConsistentRead: true,
      });
      return Array.fromAsync(rows, ({ sk }) => ({ accountId, targetId: String(sk) }));
    },
    async newest(target, { since, until, limit }) {
      const keyAt = (dueAt: string, key: string) =>
        deliveryKeys.outboxEntry(target, { lane: "first", dueAt, key });
      const { pk, sk: from } = keyAt(since ?? "", "");
      // "~" sorts after every character of a time or a key.
      const { sk: to } = keyAt(until ?? "~", "~");
      // DynamoDB rejects a range whose end is before its start.
      if (from > to) return [];
      const rows = queryRows(client, {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": pk, ":from": from, ":to": to },
        ScanIndexForward: false,
        ConsistentRead: true,
        // Reads one row more, which shows whether further entries have the same due time as the
        // last one.
        Limit: limit + 1,
      });
      const entries: OutboxEntry[] = [];
      for await (const row of rows) {
        const entry = entryOf(row);
        if (entries.length >= limit && entry.dueAt !== entries.at(-1)?.dueAt) break;
        entries.push(entry);
      }
      return entries;
    },
  };
}
