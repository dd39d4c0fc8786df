import { type ArchivedRun, readSnapshot, type EventBodies } from "../events/event-archive.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import { folderOf, snapshotKey } from "./object-key.ts";
import type { FileOutcome } from "./write-rows.ts";

interface SnapshotSubject {
  readonly accountId: string;
  readonly run: ArchivedRun;
  readonly prefix: string;
  readonly bucket: CustomerBucket;
}

/**
 * Copies the snapshot file of a run to the customer's bucket. Writes nothing if the run has no
 * snapshot file. The service wrote the snapshot file when the run ended, so every attempt and every
 * backfill copies the same bytes.
 */
export async function writeSnapshot(
  { accountId, run, prefix, bucket }: SnapshotSubject,
  bodies: EventBodies,
): Promise<FileOutcome> {
  const { runId, snapshot } = run;
  if (snapshot === undefined) return { outcome: "written", file: null };
  const bytes = await readSnapshot({ accountId, runId }, snapshot, bodies);
  if (bytes === null) return { outcome: "expired" };
  const key = snapshotKey(folderOf(run, prefix));
  const put = await bucket.put({ key, bytes, contentType: "application/vnd.apache.parquet" });
  if (put.outcome !== "done") return put;
  const { rows, sha256 } = snapshot;
  return { outcome: "written", file: { key, rows, bytes: snapshot.bytes, sha256 } };
}
