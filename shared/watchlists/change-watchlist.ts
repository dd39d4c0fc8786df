import { isDeepStrictEqual } from "node:util";
import { invalidParam } from "../base/errors.ts";
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

export interface Change {
  readonly patch: WatchlistPatch;
  /** The endpoint that the patch names; null clears it, undefined leaves it. */
  readonly endpoint: EndpointBinding | null | undefined;
  readonly now: Date;
}

/**
 * The list after a change; the very same object when the change makes no difference.
 * @throws 400 for what does not go with the list.
 */
export function changedWatchlist(before: Watchlist, change: Change): Watchlist {
  const { patch, endpoint, now } = change;
  refuseFixed(before, patch);
  const pipeline = pipelineAfter(before, patch);
  const { refreshEveryRuns } = patch.settings;
  // What the watchlist shows may be sent back.
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
  if (isDeepStrictEqual(after, before)) return before;
  return { ...after, revision: before.revision + 1, updatedAt: now.toISOString() };
}

/** True when the change makes the list due at other times, or due again at all. */
export const isRescheduled = (before: Watchlist, after: Watchlist): boolean =>
  after.status === "active" &&
  (before.status === "paused" || !isSameSchedule(before.schedule, after.schedule));

/** A list stays where its items are, and its schedule is set by other fields than show it. */
function refuseFixed(list: Watchlist, patch: WatchlistPatch): void {
  const { schedule } = patch;
  if (schedule !== undefined && !isDeepStrictEqual(schedule, presentSchedule(list.schedule))) {
    throw invalidParam("schedule", "Send 'every', or 'cron' with 'timezone'.");
  }
  for (const param of ["platform", "marketplace"] as const) {
    const wanted = patch[param];
    if (wanted !== undefined && wanted !== list[param]) {
      throw invalidParam(
        param,
        `The ${param} of a watchlist cannot change. Create a new one for ${wanted.slice(0, 40)}.`,
      );
    }
  }
}

function statusAfter(
  { status }: Watchlist,
  { status: wanted }: WatchlistPatch,
): Partial<Pick<Watchlist, "status" | "pausedReason" | "consecutiveSkips">> {
  if (wanted === undefined || wanted === status) return {};
  return wanted === "paused"
    ? { status: "paused", pausedReason: "user" }
    : { status: "active", pausedReason: null, consecutiveSkips: 0 };
}

function scheduleAfter(
  { schedule }: Watchlist,
  { every, cron, timezone }: WatchlistPatch,
): Schedule {
  if (every !== undefined) return parseEvery(every);
  if (cron === undefined && timezone === undefined) return schedule;
  const before = schedule.type === "cron" ? schedule : undefined;
  const text = cron ?? before?.cron;
  if (text === undefined) {
    throw invalidParam("timezone", "This watchlist has no cron. Send 'cron' with 'timezone'.");
  }
  return newCronSchedule(text, timezone ?? before?.timezone ?? "UTC", before?.cron);
}

function pipelineAfter(list: Watchlist, { pipeline }: WatchlistPatch): Pipeline | null {
  if (pipeline === undefined) return list.pipeline;
  return pipeline === null ? null : parsePipeline(pipeline, list);
}

/** A cadence is counted from the last run; a list that never ran stays due as it is. */
function nextRunAt(before: Watchlist, after: Watchlist, now: Date): string | null {
  if (after.status === "paused") return null;
  if (!isRescheduled(before, after)) return before.nextRunAt;
  if (before.lastRunAt === null) return before.nextRunAt ?? now.toISOString();
  const { schedule } = after;
  if (schedule.type === "cron") return nextRunAfter(schedule, now, now).toISOString();
  const next = Date.parse(before.lastRunAt) + schedule.everySeconds * 1_000;
  return new Date(Math.max(next, now.getTime())).toISOString();
}
