import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { StoredFeedEntry } from "../events/reconcile-feed.ts";
import { destinationTarget, endpointTarget, type Entry, type Target } from "../outbox/outbox.ts";
import type { StoredTarget } from "../outbox/reconcile-target.ts";
import type { Row } from "./dynamo.ts";
import { readRows, rowsBelow } from "./row-reader.ts";
import { deliveryKeys, type RowKey } from "./table.ts";

/** Reads outboxes and feeds, row by row; changes nothing. */
export interface DeliveriesReader {
  /** The account's targets: its destination, these endpoints, and whatever else has an outbox. */
  targets(accountId: string, endpointIds: readonly string[]): Promise<readonly StoredTarget[]>;
  isOwed(target: Target, entry: Entry): Promise<boolean>;
  /** By their numbers, up to one of them. */
  feed(accountId: string, last: number): AsyncIterable<StoredFeedEntry>;
  /** The number of the newest run. */
  feedCount(accountId: string): Promise<number>;
  /** Runs up to a number that ended since an ISO time, found by that time. */
  feedRunsSince(accountId: string, since: string, last: number): Promise<number>;
}

const entriesAtOnce = 1;

export function dynamoDeliveriesReader(
  client: DynamoDBDocumentClient,
  table: string,
): DeliveriesReader {
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: table, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  /** When the earliest entry of either lane is due. */
  const owedAt = async (target: Target): Promise<string | null> => {
    const dues: string[] = [];
    for (const lane of ["first", "later"] as const) {
      const { pk } = deliveryKeys.outboxEntry(target, { lane, dueAt: "", key: "" });
      const range = { ...rowsBelow(pk, `${lane}#`), rowsAtOnce: entriesAtOnce };
      for await (const row of readRows(client, table, range)) {
        dues.push(String(row["entry_due_at"]));
        break;
      }
    }
    return dues.sort()[0] ?? null;
  };
  return {
    async targets(accountId, endpointIds) {
      const { pk } = deliveryKeys.outbox(destinationTarget(accountId));
      const heads = await Array.fromAsync(readRows(client, table, rowsBelow(pk, "")));
      const ids = new Set([
        destinationTarget(accountId).targetId,
        ...endpointIds,
        ...heads.map((row) => String(row["sk"])),
      ]);
      const targets: StoredTarget[] = [];
      for (const id of ids) {
        const target = endpointTarget(accountId, id);
        const owed = await owedAt(target);
        // Read after its entries: whoever adds one has the target due no later.
        const head = await read(deliveryKeys.outbox(target));
        targets.push({
          target,
          dueAt: textIn(head, "due_at"),
          leaseUntil: textIn(head, "lease_until"),
          owedAt: owed,
        });
      }
      return targets;
    },
    isOwed: async (target, entry) =>
      (await read(deliveryKeys.outboxEntry(target, entry))) !== undefined,
    async *feed(accountId, last) {
      const { pk, sk: from } = deliveryKeys.feedEntry(accountId, 0);
      const { sk: to } = deliveryKeys.feedEntry(accountId, last);
      for await (const row of readRows(client, table, { pk, from, to })) {
        yield {
          sequence: Number(row["sequence"]),
          createdAt: String(row["created_at"]),
          appendedAt: String(row["appended_at"]),
        };
      }
    },
    async feedCount(accountId) {
      return Number((await read(deliveryKeys.feedCount(accountId)))?.["last"] ?? 0);
    },
    async feedRunsSince(accountId, since, last) {
      const { pk } = deliveryKeys.feedRun(accountId, { createdAt: "", runId: "" });
      let runs = 0;
      for await (const row of readRows(client, table, { pk, from: since, to: "~" })) {
        if (Number(row["sequence"]) <= last) runs += 1;
      }
      return runs;
    },
  };
}

const textIn = (row: Row | undefined, name: string): string | null => {
  const value = row?.[name];
  return typeof value === "string" ? value : null;
};
