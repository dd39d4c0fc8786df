import * as v from "valibot";

/** The settings of a table that a restore does not copy to the new table. */
const tableSettings = v.object({
  /** The attribute with the time at which a row expires; null if rows do not expire. */
  timeToLive: v.nullable(v.string()),
  pointInTimeRecovery: v.boolean(),
  deletionProtection: v.boolean(),
  tags: v.record(v.string(), v.string()),
});
export type TableSettings = v.InferOutput<typeof tableSettings>;

/** The steps of a restore, in order. */
export const stepNames = [
  "copy",
  "back-up",
  "stop",
  "replace",
  "settings",
  "drift",
  "deploy",
  "reconcile",
  "clean-up",
] as const;
export type StepName = (typeof stepNames)[number];

/** The stored progress of a restore. A repeated command continues from it. */
export const progressSchema = v.object({
  version: v.literal(1),
  /** The second to which the tables are restored. */
  at: v.string(),
  startedAt: v.string(),
  /**
   * The tables at the start of the restore. A table that replaces another table has a different
   * `id`.
   */
  tables: v.array(v.object({ name: v.string(), id: v.string(), settings: tableSettings })),
  done: v.array(v.picklist(stepNames)),
});
export type Progress = v.InferOutput<typeof progressSchema>;

/** A table as DynamoDB describes it. */
export interface TableState {
  /** The ID that DynamoDB gives to each new table. */
  readonly id: string;
  /** False while DynamoDB creates, restores, changes or deletes the table. */
  readonly isActive: boolean;
}

/** The requests to AWS that a restore of one stage makes. */
export interface RestoreCloud {
  /** Returns a table; undefined if it does not exist. */
  table(name: string): Promise<TableState | undefined>;
  /** Returns the current settings of a table. */
  settingsOf(table: string): Promise<TableSettings>;
  /** Changes those settings of a table that differ from `settings`. */
  applySettings(table: string, settings: TableSettings): Promise<void>;
  /**
   * Begins to restore a table to the new table `target`, with the rows that it had at the time
   * `at`.
   */
  restoreToTime(table: string, target: string, at: string): Promise<void>;
  /** Begins to restore a backup to a new table. */
  restoreFromBackup(backup: string, target: string): Promise<void>;
  /** Begins to back up a table. */
  createBackup(table: string, backupName: string): Promise<void>;
  /** Returns the backup of `table` with the name `backupName`; undefined if there is none. */
  backup(
    table: string,
    backupName: string,
  ): Promise<{ readonly id: string; readonly isAvailable: boolean } | undefined>;
  deleteBackup(backup: string): Promise<void>;
  /**
   * Removes the deletion protection of an active table. If the table has no protection, begins to
   * delete the table instead. Call this function again while the table is active.
   */
  deleteTable(name: string): Promise<void>;
  /** Returns the status of the service stack; undefined if the stack does not exist. */
  serviceStatus(): Promise<string | undefined>;
  /** Begins to delete the service stack. */
  deleteService(): Promise<void>;
  /**
   * Compares the data stack with its resources. Returns a line for each resource that differs, and
   * one more line if CloudFormation could not compare everything.
   */
  drift(): Promise<readonly string[]>;
  /** Returns the stored progress; undefined if no restore is in progress. */
  progress(): Promise<Progress | undefined>;
  saveProgress(progress: Progress): Promise<void>;
  deleteProgress(): Promise<void>;
}
