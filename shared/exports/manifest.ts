import type { InferOutput } from "valibot";
import type { ArchivedEvent, ArchivedRun } from "../events/event-archive.ts";
import { eventsDigest } from "../events/event-digest.ts";
import type { Compression } from "./destination.ts";
import type { manifestSchema, WrittenFile } from "./manifest-schema.ts";
import { folderOf, objectKey } from "./object-key.ts";

/** The content from which a manifest is built. */
export interface ManifestSubject {
  readonly run: ArchivedRun;
  readonly prefix: string;
  /** Format of the run's objects. */
  readonly compression: Compression;
  /** Run object of the `watchlist.run.completed` event; null if the run has no such event. */
  readonly runObject: unknown;
  /** The Parquet file of the run's changes; null if it has none. */
  readonly rows: WrittenFile | null;
  /** The Parquet file of all items at the end of the run; null if it has none. */
  readonly snapshot: WrittenFile | null;
}

/**
 * Returns the size and SHA-256 of the object that is written for an event: a gzip member or an
 * uncompressed line, depending on `compression`.
 */
export const sizeAndDigestOf = (
  { gzip, line }: Pick<ArchivedEvent, "gzip" | "line">,
  compression: Compression,
): ArchivedEvent["line"] => (compression === "gzip" ? gzip : line);

/**
 * Returns the content of `_manifest.json`: the run, its objects, totals, a digest of the event IDs,
 * and its Parquet files.
 */
export function presentManifest(subject: ManifestSubject): InferOutput<typeof manifestSchema> {
  const { run, prefix, compression, runObject, rows, snapshot } = subject;
  const folder = folderOf(run, prefix);
  const objects = run.events.map((event, index) => {
    const { bytes, sha256 } = sizeAndDigestOf(event, compression);
    const name = { number: index + 1, type: event.type, eventId: event.id, compression };
    return {
      key: objectKey(folder, name),
      event_id: event.id,
      type: event.type,
      items: event.items,
      bytes,
      sha256,
    };
  });
  return {
    run: runObject,
    objects,
    totals: {
      objects: objects.length,
      items: objects.reduce((sum, { items }) => sum + items, 0),
      bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    digest: eventsDigest(run.events.map(({ id }) => id)),
    rows,
    snapshot,
  };
}
