import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { RunEventType } from "../../../shared/events/event.ts";
import type { FeedPlace, StoredFeedEntry } from "../rules/feed.ts";
import {
  destinationTarget,
  endpointTarget,
  type OutboxEntry,
  type DeliveryTarget,
} from "../../../shared/outbox/outbox.ts";
import type { StoredTarget } from "../rules/target.ts";
import { dueTimeOf } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { readRows, rowsBelow } from "./rows.ts";
import { deliveryKeys, type RowKey } from "../../../shared/aws/table/table.ts";

/** Reads the rows of outboxes and event feeds. Writes nothing. */
export interface DeliveriesReader {
  /**
   * Returns the account's delivery targets: the S3 destination, the given endpoints, and any other
   * endpoint that has an outbox.
   */
  targets(accountId: string, endpointIds: readonly string[]): Promise<readonly StoredTarget[]>;
  /** Returns true if the outbox of the target has this entry. */
  isPending(target: DeliveryTarget, entry: OutboxEntry): Promise<boolean>;
  /** Yields the runs of the feed in the order of their sequences. */
  feed(accountId: string): AsyncIterable<StoredFeedEntry>;
  /** Returns the sequence of the newest run in the feed; 0 if the feed is empty. */
  feedCount(accountId: string): Promise<number>;
  /** Yields the runs that ended at or after `since` (ISO 8601), in the order of their ends. */
  feedByTime(accountId: string, since: string): AsyncIterable<FeedPlace>;
}

const entriesAtOnce = 1;

/** Creates the reader of outboxes and event feeds, in the table `table`. */
export function dynamoDeliveriesReader(
  client: DynamoDBDocumentClient,
  table: string,
): DeliveriesReader {
  const read = async (Key: RowKey): Promise<Row | undefined> => {
    const command = new GetCommand({ TableName: table, Key, ConsistentRead: true });
    return (await client.send(command)).Item;
  };
  /** Returns the earliest due time of the entries in both lanes; null if there are no entries. */
  const firstDueAt = async (target: DeliveryTarget): Promise<string | null> => {
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
        const firstDue = await firstDueAt(target);
        // The row is read after the entries. A writer that adds an entry also sets the due time in
        // the row, to the due time of the entry or earlier.
        const head = await read(deliveryKeys.outbox(target));
        targets.push({
          target,
          dueAt: dueTimeOf("outbox", head),
          leaseUntil: textIn(head, "lease_until"),
          firstDueAt: firstDue,
        });
      }
      return targets;
    },
    isPending: async (target, entry) =>
      (await read(deliveryKeys.outboxEntry(target, entry))) !== undefined,
    async *feed(accountId) {
      const { pk } = deliveryKeys.feedEntry(accountId, 0);
      for await (const row of readRows(client, table, rowsBelow(pk, "run#"))) {
        yield {
          ...placeOf(row),
          // The number comes from the key, because the readers of the feed use the key too.
          sequence: Number(String(row["sk"]).slice("run#".length)),
          createdAt: String(row["created_at"]),
          appendedAt: String(row["appended_at"]),
          types: Array.isArray(row["types"]) ? (row["types"] as RunEventType[]) : [],
        };
      }
    },
    async feedCount(accountId) {
      return Number((await read(deliveryKeys.feedCount(accountId)))?.["last"] ?? 0);
    },
    async *feedByTime(accountId, since) {
      const { pk } = deliveryKeys.feedRun(accountId, { createdAt: "", runId: "" });
      for await (const row of readRows(client, table, { pk, from: since, to: "~" })) {
        yield placeOf(row);
      }
    },
  };
}

const placeOf = (row: Row): FeedPlace => ({
  sequence: Number(row["sequence"]),
  runId: String(row["run_id"]),
});

const textIn = (row: Row | undefined, name: string): string | null => {
  const value = row?.[name];
  return typeof value === "string" ? value : null;
};
