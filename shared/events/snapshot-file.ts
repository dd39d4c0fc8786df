import { type InferOutput, number, object, string } from "valibot";

/** The file of all items at the end of a run, in the events bucket. */
export const snapshotFile = object({
  /** Random part of the key, so that no process overwrites the file of another process. */
  name: string(),
  rows: number(),
  bytes: number(),
  /** SHA-256 of the file, in hexadecimal digits. */
  sha256: string(),
});
export type SnapshotFile = InferOutput<typeof snapshotFile>;
