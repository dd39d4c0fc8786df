import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { queryPages } from "../query-rows.ts";
import { ledgerKeys } from "../table.ts";
import { type JournalPage, pageOf } from "./journal-page.ts";

interface Wanted {
  readonly accountId: string;
  readonly shard: number;
  /** Stamp of the first record of a page at least. @default 0 */
  readonly from?: number;
  /** At most, inclusive. @default any */
  readonly to?: number;
  readonly order: "newest first" | "oldest first";
  /** Pages that one request brings. */
  readonly limit: number;
}

/** The pages of a shard's journal, by the stamps of their first records, as requests bring them. */
export async function* readPages(
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
  for await (const rows of answers) yield rows.map(pageOf);
}
