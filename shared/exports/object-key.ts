import type { RandomSource } from "../base/clock.ts";
import type { EventType } from "../events/event.ts";
import type { Compression } from "./destination.ts";

/** The run and prefix that determine a folder. */
export interface ExportFolder {
  readonly prefix: string;
  readonly watchlistId: string;
  readonly runNumber: number;
  /** ISO time. Its UTC date is the date partition. */
  readonly runStartedAt: string;
}

export interface ExportedObject {
  /** Position in delivery order, from 1. */
  readonly number: number;
  readonly type: EventType;
  readonly eventId: string;
  readonly compression: Compression;
}

/**
 * Version of the layout below the prefix. Version 1 named the last partition `run`, which hid the
 * manifest's field of that name. Objects under `v=1` are never written or read by this release.
 */
const layoutVersion = 2;

/**
 * The folder of a run's objects; the same run always has the same folder. Query engines make a
 * column of each `name=value` folder, so no name may be a top-level field of an event or a manifest.
 */
function exportFolder({ prefix, watchlistId, runNumber, runStartedAt }: ExportFolder): string {
  const date = new Date(runStartedAt).toISOString().slice(0, 10);
  const number = String(runNumber).padStart(8, "0");
  const partitions = `dt=${date}/watchlist_id=${watchlistId}/run_number=${number}`;
  return `${prefix}events/v=${layoutVersion}/${partitions}/`;
}

/** The key of one event's object. */
export function objectKey(folder: ExportFolder, object: ExportedObject): string {
  const number = String(object.number).padStart(5, "0");
  const suffix = object.compression === "gzip" ? ".jsonl.gz" : ".jsonl";
  return `${exportFolder(folder)}${number}-${object.type}-${object.eventId}${suffix}`;
}

/** The key of the manifest, which is written last. */
export const manifestKey = (folder: ExportFolder): string =>
  `${exportFolder(folder)}_manifest.json`;

/** The key of the check object. */
export const checkKey = (prefix: string): string => `${prefix}_service_check`;

const absentKeyBytes = 12;

/** A random key that was never written. */
export const absentKey = (prefix: string, random: RandomSource): string =>
  `${checkKey(prefix)}_${Buffer.from(random.bytes(absentKeyBytes)).toString("hex")}`;
