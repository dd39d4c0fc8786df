import type { EventType } from "../events/event.ts";
import type { Compression } from "./destination.ts";

/** The run whose events a folder holds. */
export interface ExportFolder {
  readonly prefix: string;
  readonly watchlistId: string;
  readonly runNumber: number;
  /** ISO time; its UTC date is the partition. */
  readonly runStartedAt: string;
}

export interface ExportedObject {
  /** Place in the run's delivery order, from 1. */
  readonly number: number;
  readonly type: EventType;
  readonly eventId: string;
  readonly compression: Compression;
}

/** Where a run's events go; the same run always has the same folder. */
function exportFolder({ prefix, watchlistId, runNumber, runStartedAt }: ExportFolder): string {
  const date = new Date(runStartedAt).toISOString().slice(0, 10);
  const run = String(runNumber).padStart(8, "0");
  return `${prefix}events/v=1/dt=${date}/watchlist_id=${watchlistId}/run=${run}/`;
}

/** The key of one event's object. */
export function objectKey(folder: ExportFolder, object: ExportedObject): string {
  const number = String(object.number).padStart(5, "0");
  const suffix = object.compression === "gzip" ? ".jsonl.gz" : ".jsonl";
  return `${exportFolder(folder)}${number}-${object.type}-${object.eventId}${suffix}`;
}

/** The key of the object that is written last and lists the others. */
export const manifestKey = (folder: ExportFolder): string =>
  `${exportFolder(folder)}_manifest.json`;

/** The key of the object that is written and deleted to check a destination. */
export const checkKey = (prefix: string): string => `${prefix}_service_check`;
