import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandOutput,
} from "@aws-sdk/lib-dynamodb";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { type Item, newItem } from "../../shared/watchlists/item.ts";
import { maxChangedAt } from "../../shared/watchlists/page.ts";

/**
 * A storage layout of items. Each measured function returns the number of items that it handled.
 */
export interface Layout {
  create(items: readonly Item[]): Promise<number>;
  /** Replaces all items. Not measured. */
  fill(items: readonly Item[]): Promise<void>;
  /** Reads all items, `limit` items in each call. */
  readAll(limit: number): Promise<number>;
  /** Reads and rewrites some items, as a step of a run does. */
  change(ids: readonly string[], to: (item: Item) => Item): Promise<number>;
  /** Reads the items that changed at or after `since` (ISO 8601). */
  changedSince(since: string): Promise<number>;
}

const batchRowsMax = 25;
const parallel = 10;

/**
 * Creates a layout with a separate row for each item, which contains the same data as in a page.
 * New items are written 25 at a time, and changed items one by one with a condition.
 * `changed_since` filters all rows of the watchlist. An index by time would avoid most of these
 * reads, but double the price of each write that changes the time.
 */
export function rowPerItem(
  client: DynamoDBDocumentClient,
  { table, list }: { readonly table: string; readonly list: string },
): Layout {
  const keyOf = (id: string) => ({ pk: `watchlist#${list}`, sk: `item#${id}` });
  const rowOf = (item: Item) => ({
    ...keyOf(item.id),
    ...reportedFields(item),
    touched_at: maxChangedAt([item]) ?? undefined,
  });
  const rewriteOne = async (id: string, to: (item: Item) => Item): Promise<void> => {
    const got = await client.send(
      new GetCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true }),
    );
    const before = { ...newItem(id, ""), ...got.Item } as Item;
    await client.send(
      new PutCommand({
        TableName: table,
        Item: rowOf(to(before)),
        ConditionExpression: "attribute_not_exists(revision) OR revision = :seen",
        ExpressionAttributeValues: { ":seen": before.revision },
      }),
    );
  };
  const write = async (items: readonly Item[]): Promise<void> => {
    const batches = Array.from({ length: Math.ceil(items.length / batchRowsMax) }, (_, n) =>
      items.slice(n * batchRowsMax, (n + 1) * batchRowsMax),
    );
    await inParallel(batches, parallel, async (batch) => {
      const puts = batch.map((item) => ({ PutRequest: { Item: rowOf(item) } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
    });
  };
  const query = async (limit: number | undefined, since: string | undefined): Promise<number> => {
    let [found, start]: [number, Record<string, unknown> | undefined] = [0, undefined];
    do {
      const answer: QueryCommandOutput = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: {
            ":pk": keyOf("").pk,
            ...(since === undefined ? {} : { ":since": since }),
          },
          ...(since === undefined ? {} : { FilterExpression: "touched_at >= :since" }),
          ConsistentRead: true,
          Limit: limit,
          ExclusiveStartKey: start,
        }),
      );
      found += answer.Items?.length ?? 0;
      start = answer.LastEvaluatedKey;
    } while (start !== undefined);
    return found;
  };
  return {
    async create(items) {
      await write(items);
      return items.length;
    },
    fill: write,
    async change(ids, to) {
      await inParallel(ids, parallel, (id) => rewriteOne(id, to));
      return ids.length;
    },
    readAll: (limit) => query(limit, undefined),
    changedSince: (since) => query(undefined, since),
  };
}

/** Returns the fields of an item that a stored page contains. */
const reportedFields = (item: Item): object =>
  Object.fromEntries(
    Object.entries(item).filter(
      ([, value]) =>
        value !== null &&
        value !== 0 &&
        (typeof value !== "object" || Object.keys(value).length > 0),
    ),
  );
