import { BatchWriteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import {
  type CutPage,
  cutPages,
  type PageBounds,
  pageBounds,
  type StoredPage,
  totalOf,
} from "../../watchlists/page.ts";
import type { Item } from "../../watchlists/item.ts";
import type { PageStore } from "../../watchlists/page-store.ts";
import { isConditionFailure, isThrottle, untilSettled } from "../table/dynamo.ts";
import { afterEveryId, ownerOf, pageBelow, readPages, type PageTable } from "./page-reader.ts";
import { lowestOf, pageRow } from "./page-row.ts";
import { writePages } from "./page-writes.ts";
import { firstRows } from "../table/query-rows.ts";
import { watchlistKeys } from "../table/table.ts";

const parallelPuts = 10;
/** What one BatchWriteItem takes. */
const batchRowsMax = 25;

/** The pages of items in the watchlists table; `bounds` other than the service's are for tests. */
export function dynamoPageStore(
  client: PageTable["client"],
  options: Omit<PageTable, "client"> & { readonly bounds?: PageBounds },
): PageStore {
  const { bounds = pageBounds, ...rest } = options;
  const table = { client, ...rest };
  return {
    pages: (watchlistId, range = {}) => readPages(table, watchlistId, range),
    async replace(list, before, items) {
      const joined = await joinNeighbour(table, list.watchlistId, { before, items, bounds });
      const [first, last] = [joined.before[0], joined.before.at(-1)];
      assert(first !== undefined && last !== undefined, "a page is replaced");
      const range = { lowest: first.lowest, upper: last.upper };
      const cut = cutPages(range, joined.items, bounds);
      return writePages(table, list, {
        before: joined.before,
        cut,
        keepsIds: hasIds(items, before),
        listItemsMax: bounds.listItemsMax,
      });
    },
    async create(watchlistId, items) {
      const cut = cutPages({ lowest: "", upper: null }, items, bounds);
      const put = async (): Promise<void> => {
        try {
          for (let page = cut.shift(); page !== undefined; page = cut.shift()) {
            await putNew(table, watchlistId, page);
          }
        } finally {
          // Where one fails nobody begins another: the caller learns of it soon.
          cut.length = 0;
        }
      };
      // When one fails the others have ended too: whoever cleans up finds all that they have written.
      const tracks = await Promise.allSettled(Array.from({ length: parallelPuts }, put));
      for (const ended of tracks) if (ended.status === "rejected") throw ended.reason;
    },
    async removeAll(watchlistId) {
      while ((await untilSettled(table, () => removeSome(table, watchlistId))) === "some");
    },
  };
}

/** Whether the items are those of the one page there is, whatever became of them. */
const hasIds = (items: readonly Item[], [page, ...more]: readonly StoredPage[]): boolean =>
  more.length === 0 &&
  page?.items.length === items.length &&
  page.items.every((item, n) => item.id === items[n]?.id);

interface Change {
  readonly before: readonly StoredPage[];
  readonly items: readonly Item[];
}

/** Pages that lost items take in a neighbour, when there is one that goes into the same page. */
async function joinNeighbour(
  table: PageTable,
  watchlistId: string,
  { before, items, bounds }: Change & { readonly bounds: PageBounds },
): Promise<Change> {
  const held = before.reduce((sum, page) => sum + totalOf(page.counts), 0);
  if (items.length >= held || items.length > bounds.mergeItemsMax) return { before, items };
  const fits = (page: StoredPage | undefined): page is StoredPage =>
    page !== undefined &&
    (items.length === 0 || totalOf(page.counts) + items.length <= bounds.mergeItemsMax);
  const left = await leftOf(table, watchlistId, before[0]);
  if (fits(left)) return { before: [left, ...before], items: [...left.items, ...items] };
  const right = await rightOf(table, watchlistId, before.at(-1));
  if (fits(right)) return { before: [...before, right], items: [...items, ...right.items] };
  return { before, items };
}

/** The page that ends where this one starts; undefined when there is none, or no longer. */
async function leftOf(
  table: PageTable,
  watchlistId: string,
  page: StoredPage | undefined,
): Promise<StoredPage | undefined> {
  if (page === undefined || page.lowest === "") return undefined;
  const left = await pageBelow(table, watchlistId, page.lowest);
  return left?.upper === page.lowest ? left : undefined;
}

/** The page that starts where this one ends. */
async function rightOf(
  table: PageTable,
  watchlistId: string,
  page: StoredPage | undefined,
): Promise<StoredPage | undefined> {
  if (page === undefined || page.upper === null) return undefined;
  const [right] = await ownerOf(table, watchlistId, page.upper);
  return right?.lowest === page.upper ? right : undefined;
}

/** Writes a page that nobody can have read yet; one that is there already stays. */
function putNew(
  { client, table, clock, chance }: PageTable,
  watchlistId: string,
  page: CutPage,
): Promise<"there"> {
  return untilSettled({ clock, chance }, async () => {
    try {
      await client.send(
        new PutCommand({
          TableName: table,
          Item: pageRow(watchlistId, page, 1),
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      );
      return "there";
    } catch (error) {
      if (isConditionFailure(error)) return "there";
      if (isThrottle(error)) return "again";
      throw error;
    }
  });
}

/** The lowest keys first: a reader meanwhile finds the list at its end, not a gap in it. */
async function removeSome(
  { client, table }: PageTable,
  watchlistId: string,
): Promise<"some" | "none" | "again"> {
  const { pk, sk } = watchlistKeys.page(watchlistId, "");
  const query = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: {
      ":pk": pk,
      ":first": sk,
      ":last": watchlistKeys.page(watchlistId, afterEveryId).sk,
    },
    ProjectionExpression: "sk",
    ConsistentRead: true,
  };
  const rows = await firstRows(client, query, batchRowsMax);
  if (rows.length === 0) return "none";
  const deletes = rows.map((row) => ({
    DeleteRequest: { Key: { ...watchlistKeys.page(watchlistId, lowestOf(row)) } },
  }));
  const { UnprocessedItems } = await client.send(
    new BatchWriteCommand({ RequestItems: { [table]: deletes } }),
  );
  return UnprocessedItems?.[table] === undefined ? "some" : "again";
}
