import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { queryPages } from "../table/query-rows.ts";
import { ledgerKeys } from "../table/table.ts";
import { type JournalPage, journalPageOf } from "./journal-page.ts";

interface Wanted {
  readonly accountId: string;
  readonly shard: number;
  /** The lowest stamp of a page's first record, inclusive. @default 0 */
  readonly from?: number;
  /** The highest stamp of a page's first record, inclusive. @default no limit */
  readonly to?: number;
  readonly order: "newest first" | "oldest first";
  /** Pages in one request. */
  readonly limit: number;
}

/** Reads the pages of a shard, by the stamps of their first records; yields the pages of each request. */
export async function* readJournalPages(
  { client, ledgerTable }: { client: DynamoDBDocumentClient; ledgerTable: string },
  { accountId, shard, from = 0, to = Number.MAX_SAFE_INTEGER, order, limit }: Wanted,
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
