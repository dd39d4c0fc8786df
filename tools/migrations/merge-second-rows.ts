import { transactWrites } from "../../shared/aws/table/dynamo.ts";
import {
  itemPages,
  pageContaining,
  type PageTable,
} from "../../shared/aws/watchlists/page-reader.ts";
import { isSecondRow, lowestOf } from "../../shared/aws/watchlists/page-row.ts";
import { pageActions } from "../../shared/aws/watchlists/page-writes.ts";
import { assert } from "../../shared/base/assert.ts";
import { isOfKind, rowKinds } from "../../shared/base/stored-kinds.ts";
import { pageOfColumns, type StoredPage } from "../../shared/watchlists/page.ts";
import { type Migration, whileRowsChange } from "./migration.ts";

/**
 * The items of both rows take at most 1.3 times `pageBytesMax` (333 KB), so they fit into one row,
 * which can have 400 KB.
 */
const noBounds = { itemsMax: Infinity, bytesMax: Infinity };

/**
 * Creates the migration that writes each page of items and its changed items as one row, so that
 * the previous release can read the page.
 */
export const mergeSecondRows = (table: PageTable): Migration => ({
  name: "page-changes",
  about: "rows with the changed items of a page",
  table: "watchlists",
  isPending: (row) => isOfKind(rowKinds.pageSecondRow, row),
  async migrate(row) {
    assert(isSecondRow(row), "only a second row of a page can be pending");
    const watchlistId = String(row["pk"]).slice("watchlist#".length);
    const lowest = lowestOf(row);
    await whileRowsChange(table, "page", async () => {
      const page = await pageContaining(table, itemPages(true), { watchlistId, id: lowest });
      // Another process may have deleted, merged or written the page.
      if (page === undefined || page.lowest !== lowest || page.secondRow === null) return "done";
      return (await writeAsOneRow(table, watchlistId, page)) ? "done" : "again";
    });
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
  const change = { before: [page], cut: [whole], version: page.version + 1, addsSecondRows: false };
  return transactWrites(client, pageActions(table, watchlistId, change), retryOptions);
}
