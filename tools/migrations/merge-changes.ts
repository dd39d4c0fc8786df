import { transactWrites } from "../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import {
  itemPages,
  pagesHolding,
  type PageTable,
} from "../../shared/aws/watchlists/page-reader.ts";
import { isChangesRow, itemPageRow, lowestOf } from "../../shared/aws/watchlists/page-row.ts";
import { assert } from "../../shared/base/assert.ts";
import { repeats } from "../../shared/base/retry-budget.ts";
import { isOfKind, rowKinds } from "../../shared/base/stored-kinds.ts";
import { pageOfColumns, type StoredPage } from "../../shared/watchlists/page.ts";
import type { Migration } from "./migration.ts";

/** Limits for the attempts to write a page that other processes change. */
const attempts = { triesMax: 10, pauseMs: 20 };

/** A page has at most as many items as before, so it fits into a row. */
const noBounds = { itemsMax: Infinity, bytesMax: Infinity };

/**
 * Creates the migration that writes each page of items and its changed items as one row, so that
 * the previous release can read the page.
 */
export const mergeChanges = (table: PageTable): Migration => ({
  name: "page-changes",
  about: "rows with the changed items of a page",
  table: "watchlists",
  isPending: (row) => isOfKind(rowKinds.pageChanges, row),
  async migrate(row) {
    assert(isChangesRow(row), "only a row with changed items can be pending");
    const watchlistId = String(row["pk"]).slice("watchlist#".length);
    const lowest = lowestOf(row).slice(0, -"!".length);
    const mayRepeat = repeats(table, attempts);
    do {
      const [page] = await pagesHolding(table, itemPages(true), { watchlistId, id: lowest });
      // Another process may have deleted, merged or written the page.
      if (page === undefined || page.lowest !== lowest || page.changes === null) return;
      if (await writeAsOneRow(table, watchlistId, page)) return;
    } while (await mayRepeat());
    throw new Error(
      `other processes changed the page during each of ${attempts.triesMax} attempts. ` +
        "Run the migration again.",
    );
  },
});

/** Writes a page with its changed items. Returns false if the page has changed since its read. */
function writeAsOneRow(
  { client, table, ...retryOptions }: PageTable,
  watchlistId: string,
  page: StoredPage,
): Promise<boolean> {
  const whole = pageOfColumns(page, page.columns, noBounds);
  assert(whole !== undefined, "a page without bounds must not be split");
  const version = page.version + 1;
  const Item = itemPageRow(watchlistId, whole, { version, hasChanges: false });
  const Key = watchlistKeys.pageChanges(watchlistId, page.lowest);
  return transactWrites(
    client,
    [
      { Put: { TableName: table, Item, ...asSeen(page.changes?.pageVersion) } },
      { Delete: { TableName: table, Key, ...asSeen(page.version) } },
    ],
    retryOptions,
  );
}

/** Returns the condition that a row has this version. */
const asSeen = (version: number | undefined) => ({
  ConditionExpression: "version = :seen",
  ExpressionAttributeValues: { ":seen": version },
});
