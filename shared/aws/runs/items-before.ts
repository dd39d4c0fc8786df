import { GetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import type { BatchRef, StepRecord } from "../../runs/run.ts";
import type { Item } from "../../watchlists/item.ts";
import { decodeItems, encodeItems } from "../../watchlists/page.ts";
import { type Row, type TableOptions, writeRows } from "../table/dynamo.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";

/** Maximum size of the encoded items of a row, in bytes. DynamoDB limits a row to 400 KB. */
const bytesMax = 300 * 1024;

/**
 * The name of the rows that store the items as they were before a batch. It is an attribute of the
 * batch's result.
 */
export interface BeforeName {
  readonly attempt: string;
  readonly chunks: number;
}

/**
 * Stores the items before a batch under a new random name, and returns the name. The result of the
 * batch contains the name, so the items of an attempt that recorded no result have no effect.
 * @throws 503 UNAVAILABLE if rows stay unprocessed
 */
export async function writeItemsBefore(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { ref, items, ttl }: { readonly ref: BatchRef; readonly items: readonly Item[]; ttl: number },
): Promise<BeforeName> {
  const attempt = Buffer.from(options.random.bytes(6)).toString("hex");
  const chunks = encodedChunks(items);
  const rows = chunks.map((encoded, chunk) => ({
    ...keyOf(ref, { attempt, chunk }),
    items: encoded,
    ttl,
  }));
  await writeRows(client, options, rows);
  return { attempt, chunks: chunks.length };
}

function encodedChunks(items: readonly Item[]): Uint8Array[] {
  if (items.length === 0) return [];
  const encoded = encodeItems(items);
  if (encoded.byteLength <= bytesMax || items.length === 1) return [encoded];
  const middle = Math.ceil(items.length / 2);
  return [...encodedChunks(items.slice(0, middle)), ...encodedChunks(items.slice(middle))];
}

interface StoredBatch {
  readonly step: StepRecord;
  readonly batch: number;
  readonly name: BeforeName;
}

/**
 * Returns the items of a batch as they were before it, which `writeItemsBefore` stored.
 * @throws Error if a row of these items does not exist
 */
export async function readItemsBefore(
  client: DynamoDBDocumentClient,
  table: string,
  { step: { runId, step }, batch, name: { attempt, chunks } }: StoredBatch,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const { Item: row } = await client.send(
      new GetCommand({
        TableName: table,
        Key: keyOf({ runId, step, batch }, { attempt, chunk }),
        ConsistentRead: true,
      }),
    );
    assert(row !== undefined, "the items before a recorded batch are stored");
    items.push(...decodeItems((row as Row)["items"] as Uint8Array));
  }
  return items;
}

const keyOf = (
  { runId, step, batch }: Pick<BatchRef, "runId" | "step" | "batch">,
  { attempt, chunk }: { readonly attempt: string; readonly chunk: number },
): RowKey => watchlistKeys.before(runId, { step, number: batch, attempt, chunk });
