import { isDeepStrictEqual } from "node:util";
import type { Changed } from "../base/after-change.ts";
import { invalidParam } from "../base/errors.ts";
import { formatValue } from "../base/shown-value.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { parsePipeline } from "../pipelines/parse.ts";
import type { EndpointBinding } from "./endpoint-binding.ts";
import { checkRefreshSetting } from "./refresh-setting.ts";
import {
  isSameSchedule,
  newCronSchedule,
  nextRunAfter,
  parseEvery,
  presentSchedule,
  type Schedule,
} from "./schedule.ts";
import type { WatchlistPatch } from "./update-request.ts";
import type { Watchlist } from "./watchlist.ts";

/** A change of a watchlist's settings, and the time of the change. */
export interface Change {
  readonly patch: WatchlistPatch;
  /** The webhook endpoint to set. Null removes the endpoint; undefined leaves it unchanged. */
  readonly endpoint: EndpointBinding | null | undefined;
  readonly now: Date;
}

/**
 * Applies a change to a watchlist, and returns the changed watchlist with the next revision;
 * `unchanged` if nothing differs. Stores nothing.
 * @throws 400 if a value in the patch is not valid for this watchlist. `platform`, `marketplace`
 * and `schedule` must equal the current values, because the first two never change, and a client
 * changes the schedule with `every`, `cron` and `timezone`.
 */
export function changeWatchlist(before: Watchlist, change: Change): Changed<Watchlist> {
  const { patch, endpoint, now } = change;
  refuseFixed(before, patch);
  const pipeline = pipelineAfter(before, patch);
  const { refreshEveryRuns } = patch.settings;
  // The current value is always accepted, so that a client can send back a watchlist that it
  // received.
  if (refreshEveryRuns !== before.refreshEveryRuns) {
    checkRefreshSetting({ platform: before.platform, pipeline, refreshEveryRuns });
  }
  const settings: Watchlist = {
    ...before,
    ...patch.settings,
    ...statusAfter(before, patch),
    name: patch.name ?? before.name,
    schedule: scheduleAfter(before, patch),
    pipeline,
    ...(endpoint === undefined
      ? {}
      : { webhookEndpointId: endpoint?.endpointId ?? null, webhookUrl: endpoint?.url ?? null }),
  };
  const after = { ...settings, nextRunAt: nextRunAt(before, settings, now) };
  if (isDeepStrictEqual(after, before)) return "unchanged";
  return { ...after, revision: before.revision + 1, updatedAt: now.toISOString() };
}

/**
 * Returns true if a change resumes a paused watchlist, or changes the schedule of an active
 * watchlist.
 */
export const isRescheduled = (before: Watchlist, after: Watchlist): boolean =>
  after.status === "active" &&
  (before.status === "paused" || !isSameSchedule(before.schedule, after.schedule));

/**
 * Refuses a change of a field that cannot change.
 * @throws 400 if the patch has another `platform`, `marketplace` or `schedule` than the watchlist
 */
function refuseFixed(watchlist: Watchlist, patch: WatchlistPatch): void {
  const { schedule } = patch;
  if (schedule !== undefined && !isDeepStrictEqual(schedule, presentSchedule(watchlist.schedule))) {
    throw invalidParam(
      "schedule",
      "'schedule' cannot be set directly. Send 'every', or 'cron' with 'timezone'.",
    );
  }
  for (const param of ["platform", "marketplace"] as const) {
    const wanted = patch[param];
    if (wanted !== undefined && wanted !== watchlist[param]) {
      throw invalidParam(
        param,
        `'${param}' must be '${watchlist[param]}', because it cannot change after the watchlist was created ` +
          `(got ${formatValue(wanted)}). Omit it, or create another watchlist.`,
      );
    }
  }
}

/** Returns the changed fields of the status; an empty object if the status stays the same. */
function statusAfter(
  { status }: Watchlist,
  { status: wanted }: WatchlistPatch,
): Partial<Pick<Watchlist, "status" | "pausedReason" | "consecutiveSkips">> {
  if (wanted === undefined || wanted === status) return {};
  return wanted === "paused"
    ? { status: "paused", pausedReason: "user" }
    : { status: "active", pausedReason: null, consecutiveSkips: 0 };
}

/**
 * Returns the schedule after the change.
 * @throws 400 if the new schedule is invalid
 */
function scheduleAfter(
  { schedule }: Watchlist,
  { every, cron, timezone }: WatchlistPatch,
): Schedule {
  if (every !== undefined) return parseEvery(every);
  if (cron === undefined && timezone === undefined) return schedule;
  const before = schedule.type === "cron" ? schedule : undefined;
  const text = cron ?? before?.cron;
  if (text === undefined) {
    throw invalidParam(
      "timezone",
      "'timezone' applies only to a cron schedule, and this watchlist has none. Send 'cron' too, or omit 'timezone'.",
    );
  }
  return newCronSchedule(text, timezone ?? before?.timezone ?? "UTC", before?.cron);
}

function pipelineAfter(watchlist: Watchlist, { pipeline }: WatchlistPatch): Pipeline | null {
  if (pipeline === undefined) return watchlist.pipeline;
  return pipeline === null ? null : parsePipeline(pipeline, watchlist);
}

/**
 * Returns the next due time after the change (ISO 8601); null for a paused watchlist. After a
 * change of an `every` schedule, the next run is due one interval after the start of the last run,
 * or now if that time has passed. A watchlist that has never run keeps its due time, or is due now
 * if it has none.
 */
function nextRunAt(before: Watchlist, after: Watchlist, now: Date): string | null {
  if (after.status === "paused") return null;
  if (!isRescheduled(before, after)) return before.nextRunAt;
  if (before.lastRunAt === null) return before.nextRunAt ?? now.toISOString();
  const { schedule } = after;
  if (schedule.type === "cron") return nextRunAfter(schedule, now, now).toISOString();
  const next = Date.parse(before.lastRunAt) + schedule.everySeconds * 1_000;
  return new Date(Math.max(next, now.getTime())).toISOString();
}
