import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { queryPages } from "../table/query-rows.ts";
import { ledgerKeys } from "../table/table.ts";
import { type JournalPage, journalPageOf } from "./journal-page.ts";

interface PagesQuery {
  readonly accountId: string;
  readonly shard: number;
  /** Lowest stamp of a page's first record, inclusive. @default 0 */
  readonly from?: number;
  /** Highest stamp of a page's first record, inclusive. @default no limit */
  readonly to?: number;
  readonly order: "newest first" | "oldest first";
  /** Number of pages in one request. */
  readonly limit: number;
}

/**
 * Yields the journal pages of a shard, in arrays with the pages of one DynamoDB request. Selects
 * the pages whose first record has a stamp from `from` to `to` (inclusive), and sorts them by this
 * stamp.
 * @param limit maximum number of pages in one array; the total is not limited
 */
export async function* readJournalPages(
  { client, ledgerTable }: { client: DynamoDBDocumentClient; ledgerTable: string },
  { accountId, shard, from = 0, to = Number.MAX_SAFE_INTEGER, order, limit }: PagesQuery,
): AsyncGenerator<readonly JournalPage[]> {
  const first = ledgerKeys.page(accountId, shard, from);
  const last = ledgerKeys.page(accountId, shard, to);
  const answers = queryPages(client, {
    TableName: ledgerTable,
    ConsistentRead: true,
    ScanIndexForward: order === "oldest first",
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: { ":pk": first.pk, ":first": first.sk, ":last": last.sk },
    Limit: limit,
  });
  for await (const rows of answers) yield rows.map(journalPageOf);
}
