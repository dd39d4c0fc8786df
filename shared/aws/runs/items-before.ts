import { GetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import type { BatchRef } from "../../runs/batch.ts";
import type { StepRecord } from "../../runs/step.ts";
import type { Item } from "../../watchlists/item.ts";
import { decodeItems, encodeItems } from "../../watchlists/page-codec.ts";
import { type Row, type TableOptions, writeRows } from "../table/dynamo.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

/** Maximum size of the encoded items of a row, in bytes. DynamoDB limits a row to 400 KB. */
const bytesMax = 300 * 1024;
/**
 * Maximum size, in bytes, of encoded items that are stored in the row of a result. Most batches
 * have only a few outcomes, and a separate row would cost another request.
 */
const inRowMax = 8 * 1024;

/**
 * Identifies the rows that store the items of a batch as they were before the batch. The row of the
 * batch's result contains this value. If `chunks` is 0, there are no such rows, and the attribute
 * `before_items` of the result's row has the items. Without this attribute, there are no items.
 */
interface BeforeName {
  readonly attempt: string;
  readonly chunks: number;
}

/** The attributes of a result's row that `itemsBeforeOf` reads. */
export const beforeAttributes: readonly string[] = ["sk", "before", "before_items"];

/**
 * Stores the items of a batch as they were before the batch, so that a discard of the run can
 * restore them. Returns the attributes to add to the row of the batch's result: the items
 * themselves, or the keys of separate rows if the items are too large. The keys of the separate
 * rows contain a new random name, so the rows have no effect if this attempt does not record the
 * result of the batch.
 * @param ttl time at which DynamoDB may delete the rows, in whole Unix seconds
 * @throws 503 UNAVAILABLE if rows stay unprocessed
 */
export async function storeItemsBefore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { ref, items, ttl }: { readonly ref: BatchRef; readonly items: readonly Item[]; ttl: number },
): Promise<Row> {
  const chunks = encodedChunks(items);
  const [first = new Uint8Array()] = chunks;
  if (chunks.length <= 1 && first.byteLength <= inRowMax) {
    const before: BeforeName = { attempt: "", chunks: 0 };
    return { before, ...(chunks.length > 0 && { before_items: first }) };
  }
  const attempt = Buffer.from(options.random.bytes(6)).toString("hex");
  const rows = chunks.map((encoded, chunk) => ({
    ...keyOf(ref, { attempt, chunk }),
    items: encoded,
    ttl,
  }));
  await writeRows(client, options, rows);
  const before: BeforeName = { attempt, chunks: chunks.length };
  return { before };
}

/** Encodes items in one or more chunks that each fit into a row; no chunk if there are no items. */
function encodedChunks(items: readonly Item[]): Uint8Array[] {
  if (items.length === 0) return [];
  const encoded = encodeItems(items);
  if (encoded.byteLength <= bytesMax || items.length === 1) return [encoded];
  const middle = Math.ceil(items.length / 2);
  return [...encodedChunks(items.slice(0, middle)), ...encodedChunks(items.slice(middle))];
}

/**
 * Returns the items that `storeItemsBefore` stored: the items of a batch as they were before the
 * batch. Returns an empty list if `storeItemsBefore` stored none.
 * @param row the row of the batch's result, with `beforeAttributes`
 * @throws Error if a row of these items does not exist
 */
export async function itemsBeforeOf(
  client: DynamoDBDocumentClient,
  table: string,
  { step: { runId, step }, row }: { readonly step: StepRecord; readonly row: Row },
): Promise<readonly Item[]> {
  const stored = row["before_items"] as Uint8Array | undefined;
  if (stored !== undefined) return decodeItems(stored);
  const { attempt, chunks } = (row["before"] as BeforeName | undefined) ?? {
    attempt: "",
    chunks: 0,
  };
  const batch = Number(String(row["sk"]).split("#").at(-1));
  const items: Item[] = [];
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const { Item: found } = await client.send(
      new GetCommand({
        TableName: table,
        Key: keyOf({ runId, step, batch }, { attempt, chunk }),
        ConsistentRead: true,
      }),
    );
    assert(found !== undefined, "the items as they were before a recorded batch must be stored");
    items.push(...decodeItems((found as Row)["items"] as Uint8Array));
  }
  return items;
}

const keyOf = (
  { runId, step, batch }: Pick<BatchRef, "runId" | "step" | "batch">,
  { attempt, chunk }: { readonly attempt: string; readonly chunk: number },
): RowKey => watchlistKeys.before(runId, { step, number: batch, attempt, chunk });
