import { createHash } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { BatchRef, BatchResult } from "../../runs/batch.ts";
import type { ItemOutcome } from "../../runs/item-outcome.ts";
import type { StepRecord } from "../../runs/step.ts";
import type { KnownDetails } from "../../watchlists/item-details.ts";
import { type Row, type TableOptions, writeRows } from "../table/dynamo.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { type RowKey, watchlistKeys } from "../table/table.ts";
import { pack, unpack } from "./compressed.ts";

/**
 * Maximum size of details in the row of a result, in bytes. DynamoDB limits a row to 400 KB, and
 * the outcomes of a batch take the rest.
 */
const inRowMax = 100 * 1024;
/** Size in bytes of the chunks into which large details are split. */
const chunkBytes = 300 * 1024;

/** Identifies the separate rows with the details of a result. */
interface Chunks {
  /** First 16 hexadecimal digits of the SHA-256 of the packed details. */
  readonly digest: string;
  /** Number of the rows. */
  readonly count: number;
}

/**
 * Stores the item details of a batch's outcomes apart from the outcomes, because only events need
 * the details. Returns the attributes to add to the row of the result; none if no outcome has
 * details. Writes details that are too large for that row to separate rows. The keys of these rows
 * contain a digest of the details, so the details of two processes never mix.
 * @param ttl time at which DynamoDB may delete the rows, in whole Unix seconds
 * @throws 503 UNAVAILABLE if separate rows stay unprocessed
 */
export async function storeDetails(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { ref, outcomes, ttl }: { ref: BatchRef; outcomes: BatchResult["outcomes"]; ttl: number },
): Promise<Row> {
  const details = outcomes.flatMap(({ id, details: known }) => (known ? [[id, known]] : []));
  if (details.length === 0) return {};
  const packed = pack(details);
  if (packed.byteLength <= inRowMax) return { details: packed };
  const digest = createHash("sha256").update(packed).digest("hex").slice(0, 16);
  const count = Math.ceil(packed.byteLength / chunkBytes);
  const chunks = { digest, count };
  const rows = chunkKeys(ref, chunks).map(({ pk, sk }, n) => {
    const part = packed.subarray(n * chunkBytes, (n + 1) * chunkBytes);
    return { pk, sk, details: part, ttl };
  });
  await writeRows(client, options, rows);
  return { details_in: chunks };
}

/**
 * Returns a result with the stored details added to its outcomes.
 * @throws 503 UNAVAILABLE if rows with details cannot be read because the table is overloaded
 */
export async function withStoredDetails<Result extends BatchResult>(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  { step, row, result }: { step: StepRecord; row: Row; result: Result },
): Promise<Result> {
  const chunks = row["details_in"] as Chunks | undefined;
  const batch = Number(String(row["sk"]).split("#").at(-1));
  const packed =
    chunks === undefined
      ? row["details"]
      : await joined(client, options, chunkKeys({ ...step, batch }, chunks));
  if (packed === undefined) return result;
  const details = new Map(unpack(packed) as [string, KnownDetails][]);
  const outcomes = result.outcomes.map((outcome): ItemOutcome => {
    const known = details.get(outcome.id);
    return known === undefined ? outcome : Object.assign({}, outcome, { details: known });
  });
  return { ...result, outcomes };
}

const chunkKeys = (
  { runId, step, plan, batch }: Pick<BatchRef, "runId" | "step" | "plan" | "batch">,
  { digest, count }: Chunks,
): RowKey[] =>
  Array.from({ length: count }, (_, chunk) =>
    watchlistKeys.resultDetails(runId, { step, plan, number: batch }, { digest, chunk }),
  );

/** Reads the chunks with these keys, and joins them. */
async function joined(
  client: DynamoDBDocumentClient,
  options: TableOptions,
  keys: readonly RowKey[],
): Promise<Uint8Array> {
  const rows = await rowsByKey(client, options, keys);
  const bySk = new Map(rows.map((row) => [String(row["sk"]), row["details"] as Uint8Array]));
  return Buffer.concat(keys.map(({ sk }) => bySk.get(sk) ?? new Uint8Array()));
}
