import { DatabaseSync } from "node:sqlite";
import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";
import { parseExpression } from "./schedule-expression.ts";
import type { Occurrences } from "./schedule-expression.ts";

/** The definition of a schedule, with the field names of EventBridge Scheduler's API. */
export const scheduleDefinition = v.object({
  GroupName: v.optional(v.string(), "default"),
  ScheduleExpression: v.string(),
  ScheduleExpressionTimezone: v.optional(
    v.picklist(["UTC", "Etc/UTC"], "The local world supports only the time zone UTC."),
  ),
  /** In seconds since 1970, like all times of the API. */
  StartDate: v.optional(v.number()),
  EndDate: v.optional(v.number()),
  State: v.optional(v.picklist(["ENABLED", "DISABLED"]), "ENABLED"),
  Description: v.optional(v.string()),
  ActionAfterCompletion: v.optional(v.picklist(["NONE", "DELETE"]), "NONE"),
  FlexibleTimeWindow: v.object({
    Mode: v.picklist(["OFF", "FLEXIBLE"]),
    MaximumWindowInMinutes: v.optional(v.number()),
  }),
  Target: v.looseObject({
    Arn: v.string(),
    RoleArn: v.string(),
    Input: v.optional(v.string(), "{}"),
    SqsParameters: v.optional(v.object({ MessageGroupId: v.optional(v.string()) })),
  }),
});
export type ScheduleDefinition = v.InferOutput<typeof scheduleDefinition>;

const storedSchedule = v.object({
  name: v.string(),
  definition: scheduleDefinition,
  /**
   * True if a template creates the schedule. The schedule is deleted as soon as no template creates
   * it.
   */
  fromTemplate: v.boolean(),
  createdAt: v.number(),
  modifiedAt: v.number(),
  /**
   * A time in milliseconds since 1970. All occurrences up to this time have either fired or were
   * missed.
   */
  handledUntil: v.number(),
  clientToken: v.optional(v.string()),
});
export type StoredSchedule = v.InferOutput<typeof storedSchedule>;

/** The schedules of a local world, stored in its data folder. */
export interface ScheduleStore {
  /** Returns a schedule; undefined if it does not exist. */
  get(groupName: string, name: string): StoredSchedule | undefined;
  /** Stores a schedule. Replaces the schedule with the same group and name. */
  put(schedule: StoredSchedule): void;
  /** Deletes a schedule. Does nothing if it does not exist. */
  remove(groupName: string, name: string): void;
  /** Returns all schedules, sorted by group and name. */
  all(): readonly StoredSchedule[];
  close(): void;
}

/** Opens the stored schedules of a data folder. Creates the database if it does not exist. */
export function openScheduleStore(folder: DataFolder): ScheduleStore {
  const database = new DatabaseSync(folder.file("schedules.db"));
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS schedules (
      group_name TEXT, name TEXT, record TEXT NOT NULL, PRIMARY KEY (group_name, name)
    )`);
  const get = database.prepare("SELECT record FROM schedules WHERE group_name = ? AND name = ?");
  const put = database.prepare("INSERT OR REPLACE INTO schedules VALUES (?, ?, ?)");
  const remove = database.prepare("DELETE FROM schedules WHERE group_name = ? AND name = ?");
  const all = database.prepare("SELECT record FROM schedules ORDER BY group_name, name");
  return {
    get(groupName, name) {
      const row = get.get(groupName, name);
      return row && parse(row);
    },
    put(schedule) {
      put.run(schedule.definition.GroupName, schedule.name, JSON.stringify(schedule));
    },
    remove(groupName, name) {
      remove.run(groupName, name);
    },
    all: () => all.all().map(parse),
    close: () => database.close(),
  };
}

function parse(row: Readonly<Record<string, unknown>>): StoredSchedule {
  return v.parse(storedSchedule, JSON.parse(String(row["record"])));
}

/**
 * Returns the occurrences of a schedule. A schedule without a start date starts at its last change.
 * @param modifiedAt time of the last change, in epoch milliseconds
 * @throws Error if the expression is invalid
 */
export function occurrencesOf(definition: ScheduleDefinition, modifiedAt: number): Occurrences {
  const { StartDate, EndDate, ScheduleExpression } = definition;
  return parseExpression({
    expression: ScheduleExpression,
    startDate: new Date(StartDate === undefined ? modifiedAt : StartDate * 1000),
    endDate: EndDate === undefined ? null : new Date(EndDate * 1000),
  });
}

/**
 * Returns the time, in milliseconds since 1970, after which the occurrences of a new or changed
 * schedule count. For a rate or a single time, the occurrences of the last minute count, because
 * EventBridge Scheduler has a precision of one minute. For a cron expression, only occurrences
 * after `now` count.
 */
export function countingStart(definition: ScheduleDefinition, now: number): number {
  return definition.ScheduleExpression.startsWith("cron(") ? now : now - 60_000;
}
