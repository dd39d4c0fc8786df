import * as provide from "../../functions/composition/process.ts";
import * as stores from "../../functions/composition/watchlist-stores.ts";
import { readEnvironment } from "../../functions/environment.ts";
import { segmentRows } from "../../shared/aws/history/segment-rows.ts";
import { runRow } from "../../shared/aws/runs/run-row.ts";
import { type Row, writeRows } from "../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import { assert } from "../../shared/base/assert.ts";
import { newId } from "../../shared/base/ids.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { lastRunOf, windowOf } from "../../shared/history/window.ts";
import { defaultPipeline } from "../../shared/pipelines/default.ts";
import { currencyOf } from "../../shared/platforms/catalog.ts";
import { emptyStats, type Run, type RunWatchlist } from "../../shared/runs/run.ts";
import { emptyStepStats } from "../../shared/runs/step.ts";
import { countByState } from "../../shared/watchlists/item-counts.ts";
import { parseEvery } from "../../shared/watchlists/schedule.ts";
import { defaultSettings, noLimits } from "../../shared/watchlists/settings.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import {
  inventPast,
  itemsReadBy,
  type Past,
  type PastRun,
  type PastWatchlist,
} from "./invented-past.ts";
import { type PastWorld, writeEvents, writeResults, type WrittenRun } from "./write-results.ts";

/** A watchlist to create with an invented past, and its account. */
export interface WrittenPast extends Omit<PastWatchlist, "id"> {
  readonly accountId: string;
}

const purgeMs = 3_600_000;

/** The past of a watchlist, before it is written. */
export interface PlannedPast {
  readonly accountId: string;
  readonly list: PastWatchlist;
  readonly past: Past;
  /** The runs, oldest first. */
  readonly runs: readonly WrittenRun[];
}

/** Invents the past of a watchlist until now, without writing it. */
export function planPast({ accountId, ...wanted }: WrittenPast): PlannedPast {
  const now = systemClock.now();
  const list = { ...wanted, id: newId("watchlist", now, systemRandom) };
  const past = inventPast(list, now);
  const runs = past.runs.map((run) => ({ run, stored: runOf(list, { accountId, past, run }) }));
  return { accountId, list, past, runs };
}

/**
 * Writes a paused watchlist with an invented past directly into the tables of a local world. Writes
 * items, details, history and runs, the results of the last 14 days, and the events of the last 29
 * days. Delivers no event. Writing the rows is much faster than running the watchlist. Returns the
 * ID of the watchlist.
 * @throws Error if the account has too many watchlists
 */
export async function writePast(
  world: PastWorld,
  { accountId, list, past, runs }: PlannedPast,
): Promise<string> {
  const environment = readEnvironment("watchlists", world.environmentOf("watchlists"));
  const { id } = list;
  const now = systemClock.now();
  const watchlist = watchlistAfter(list, { accountId, past });
  const pages = stores.pages(environment, {});
  const purges = stores.purges(environment, {});
  await purges.expectCreation(watchlist, new Date(now.getTime() + purgeMs));
  await pages.create(id, past.items);
  await pages.createDetails(id, past.details);
  const outcome = await stores.watchlists(environment, {}).create({
    watchlist,
    record: null,
    answer: "",
  });
  assert(outcome === "created", "the account must have room for the watchlist");
  const table = { table: environment.WATCHLISTS_TABLE, clock: systemClock, random: systemRandom };
  const segments = await Promise.all(past.runs.map((run) => segmentRows(id, run)));
  await writeRows(provide.dynamo({}), table, [
    ...segments.flat(),
    ...runs.slice(-limits.runHistoryMax).map(({ stored }) => rowOf(stored)),
  ]);
  await mergeWindows(stores.history(environment, {}), { accountId, watchlistId: id, past });
  await writeResults(world, { past, runs, now });
  await writeEvents(world, { past, runs, now });
  return id;
}

const rowOf = (run: Run): Row => ({
  ...watchlistKeys.run(run.watchlistId, run.runNumber),
  ...runRow(run),
});

interface Owned {
  readonly accountId: string;
  readonly past: Past;
}

function watchlistAfter(pastList: PastWatchlist, { accountId, past }: Owned): Watchlist {
  const first = past.runs[0]?.startedAt ?? systemClock.now().toISOString();
  return {
    id: pastList.id,
    accountId,
    name: pastList.name,
    platform: pastList.platform,
    marketplace: "us",
    status: "paused",
    pausedReason: "user",
    schedule: parseEvery(`${24 / pastList.runsPerDay}h`),
    pipeline: null,
    ...defaultSettings,
    webhookEndpointId: null,
    webhookUrl: null,
    itemCounts: countByState(past.items),
    runCount: past.runs.length,
    consecutiveSkips: 0,
    refreshDue: false,
    overlaps: 0,
    runningRun: null,
    lastRunAt: past.runs.at(-1)?.startedAt ?? null,
    lastRunStatus: "completed",
    nextRunAt: null,
    revision: 1,
    createdAt: first,
    updatedAt: first,
  };
}

function runOf(
  pastList: PastWatchlist,
  { accountId, past, run }: Owned & { readonly run: PastRun },
): Run {
  const items = itemsReadBy(past, run).length;
  const scraper = `${pastList.platform}.standard` as const;
  const { points } = run;
  const isFirst = run.runNumber === 1;
  const delisted = points.filter(({ status }) => status === "not_found").length;
  const changed = isFirst ? 0 : points.length - delisted;
  const watchlist: RunWatchlist = {
    id: pastList.id,
    name: pastList.name,
    platform: pastList.platform,
    marketplace: "us",
    currency: currencyOf(pastList.platform, "us"),
    status: "paused",
    pausedReason: "user",
    nextRunAt: null,
    webhookEndpointId: null,
  };
  return {
    id: run.id,
    accountId,
    watchlistId: pastList.id,
    runNumber: run.runNumber,
    trigger: isFirst ? "initial" : "schedule",
    kind: isFirst ? "baseline" : "sweep",
    phase: "done",
    status: "completed",
    startedAt: run.startedAt,
    finishedAt: run.endedAt,
    progressAt: run.endedAt,
    credits: items,
    stats: {
      ...emptyStats(past.step),
      tracked: items,
      newItems: isFirst ? items : 0,
      steps: {
        [past.step]: {
          ...emptyStepStats(scraper),
          requested: items,
          ok: items - delisted,
          notFound: delisted,
          credits: items,
        },
      },
      changed,
      notified: changed,
      delisted,
    },
    error: null,
    pipeline: defaultPipeline(pastList.platform, 0),
    limits: noLimits,
    plan: "past",
    watchlist,
  };
}

async function mergeWindows(
  history: ReturnType<typeof stores.history>,
  { past, ...watchlist }: Owned & { readonly watchlistId: string },
): Promise<void> {
  const runs = past.runs.length;
  for (let window = 1; lastRunOf(window) <= runs && window <= windowOf(runs); window += 1) {
    const { outcome } = await history.merge(watchlist, {
      window,
      absent: new Set(),
      isOver: () => false,
    });
    assert(outcome === "merged", "the runs of the window must be recorded");
  }
}
