import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { OutboxEntry, PendingWork } from "../../outbox/outbox.ts";
import { entryOf } from "./outbox-entry.ts";
import { queryRows } from "../table/query-rows.ts";
import { deliveryKeys } from "../table/table.ts";

/** Pending entries in the first lanes of outboxes, for the logs of deliveries and exports. */
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
      // "~" sorts after every character of a time and of a key.
      const { sk: to } = keyAt(until ?? "~", "~");
      // DynamoDB refuses a range that ends before it begins.
      if (from > to) return [];
      const rows = queryRows(client, {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": pk, ":from": from, ":to": to },
        ScanIndexForward: false,
        ConsistentRead: true,
        // One more row shows whether another entry is due at the same time as the last.
        Limit: limit + 1,
      });
      const found: OutboxEntry[] = [];
      for await (const row of rows) {
        const entry = entryOf(row);
        if (found.length >= limit && entry.dueAt !== found.at(-1)?.dueAt) break;
        found.push(entry);
      }
      return found;
    },
  };
}
