import type { ArchivedRun } from "../events/event-archive.ts";
import type { RandomSource } from "../base/clock.ts";
import type { EventType } from "../events/event.ts";
import type { Compression } from "./destination.ts";

/** The prefix and run fields that determine the folder of a run's objects. */
export interface ExportFolder {
  readonly prefix: string;
  readonly watchlistId: string;
  readonly runNumber: number;
  /** Start time of the run (ISO). Its UTC date is the date partition. */
  readonly runStartedAt: string;
  /** True for the folder of the notice that the run is held, inside the folder of the run. */
  readonly isHoldNotice?: boolean;
}

/**
 * Returns the values from which the folder of a run's objects in the bucket is built.
 * @param prefix prefix of all keys of the destination
 */
export const folderOf = (run: ArchivedRun, prefix: string): ExportFolder => ({
  prefix,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  runStartedAt: run.runStartedAt,
  ...(run.isHoldNotice === true && { isHoldNotice: true }),
});

/** The facts about an event that determine the name of its object. */
export interface ExportedObject {
  /** Number of the event in delivery order, from 1. */
  readonly number: number;
  readonly type: EventType;
  readonly eventId: string;
  readonly compression: Compression;
}

/**
 * Folders below the prefix, with their versions. Version 1 of the events named its last partition
 * `run`, which hid the manifest's field `run` in query engines. This release neither reads nor
 * writes objects below `events/v=1`.
 */
export const layoutFolders = {
  events: "events/v=2/",
  rows: "rows/v=1/",
  snapshots: "snapshots/v=1/",
} as const;

/**
 * Returns the folder of a run's objects, which never changes. Query engines convert each folder
 * `name=value` to a column, so no top-level field of an event or a manifest may have the same name.
 */
function exportFolder(folder: ExportFolder): string {
  const events = `${folder.prefix}${layoutFolders.events}${partitionsOf(folder)}/`;
  return folder.isHoldNotice === true ? `${events}hold/` : events;
}

/** Returns the partitions of a run in object keys: UTC date of its start, watchlist, run number. */
function partitionsOf({ watchlistId, runNumber, runStartedAt }: ExportFolder): string {
  const date = new Date(runStartedAt).toISOString().slice(0, 10);
  const number = String(runNumber).padStart(8, "0");
  return `dt=${date}/watchlist_id=${watchlistId}/run_number=${number}`;
}

/**
 * Returns the key of the Parquet file with the changes of a run, beside the folders of the events.
 */
export const rowsKey = (folder: ExportFolder): string =>
  `${folder.prefix}${layoutFolders.rows}${partitionsOf(folder)}/changes.parquet`;

/** Returns the key of the Parquet file with all items at the end of a run. */
export const snapshotKey = (folder: ExportFolder): string =>
  `${folder.prefix}${layoutFolders.snapshots}${partitionsOf(folder)}/items.parquet`;

/**
 * Returns the key of the object of one event: its number, type and ID in the run's folder, with the
 * suffix of its compression.
 */
export function objectKey(folder: ExportFolder, object: ExportedObject): string {
  const number = String(object.number).padStart(5, "0");
  const suffix = object.compression === "gzip" ? ".jsonl.gz" : ".jsonl";
  return `${exportFolder(folder)}${number}-${object.type}-${object.eventId}${suffix}`;
}

/**
 * Returns the key of a run's manifest. The manifest is written last, so its existence means that
 * the export is complete.
 */
export const manifestKey = (folder: ExportFolder): string =>
  `${exportFolder(folder)}_manifest.json`;

/**
 * Returns the key of the object that a check of the destination writes and deletes.
 * @param prefix The prefix of the destination.
 */
export const checkKey = (prefix: string): string => `${prefix}_service_check`;

const absentKeyBytes = 12;

/**
 * Returns a random key for which no object was ever written.
 * @param prefix The prefix of the destination.
 */
export const absentKey = (prefix: string, random: RandomSource): string =>
  `${checkKey(prefix)}_${Buffer.from(random.bytes(absentKeyBytes)).toString("hex")}`;
