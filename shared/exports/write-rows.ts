import {
  type ArchivedRun,
  type EventBodies,
  readLines,
  unpackBody,
} from "../events/event-archive.ts";
import { type ChangeRow, changeRows, typesWithRows } from "./change-rows.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import { folderOf, rowsKey } from "./object-key.ts";
import type { WrittenFile } from "./manifest-schema.ts";
import { rowsFile } from "./rows-file.ts";

/**
 * The outcome of writing a Parquet file of a run to the customer's bucket. `file` is null if there
 * was nothing to write.
 */
export type FileOutcome =
  | { readonly outcome: "written"; readonly file: WrittenFile | null }
  /** The events have expired. */
  | { readonly outcome: "expired" }
  | { readonly outcome: "failed"; readonly reason: string };

interface RowsSubject {
  readonly accountId: string;
  readonly run: ArchivedRun;
  readonly prefix: string;
  readonly bucket: CustomerBucket;
}

/**
 * Writes the changes of a run to the customer's bucket as one Parquet file. Writes nothing for a
 * run without changes. Every attempt writes this file and then the manifest, so the manifest always
 * has the digest of the stored file.
 */
export async function writeRows(
  { accountId, run, prefix, bucket }: RowsSubject,
  bodies: EventBodies,
): Promise<FileOutcome> {
  const events = run.events.filter(({ type }) => typesWithRows.has(type));
  const rows: ChangeRow[] = [];
  for await (const { gzip } of readLines({ accountId, runId: run.runId }, events, bodies)) {
    if (gzip === null) return { outcome: "expired" };
    rows.push(...changeRows(Buffer.from(unpackBody(gzip)).toString()));
  }
  if (rows.length === 0) return { outcome: "written", file: null };
  const { bytes, sha256 } = await rowsFile(rows);
  const key = rowsKey(folderOf(run, prefix));
  const put = await bucket.put({ key, bytes, contentType: "application/vnd.apache.parquet" });
  if (put.outcome !== "done") return put;
  const file = { key, rows: rows.length, bytes: bytes.length, sha256 };
  return { outcome: "written", file };
}
