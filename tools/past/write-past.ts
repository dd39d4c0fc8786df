import * as provide from "../../functions/composition/dependencies.ts";
import { feedSources } from "../../functions/composition/events.ts";
import * as stores from "../../functions/composition/watchlist-stores.ts";
import { readEnvironment } from "../../functions/environment.ts";
import { segmentRows } from "../../shared/aws/history/segment-rows.ts";
import { runRow } from "../../shared/aws/runs/run-row.ts";
import { type Row, writeRows } from "../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import { assert } from "../../shared/base/assert.ts";
import { newId } from "../../shared/base/ids.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { archiveRun } from "../../shared/events/event-archive.ts";
import { lastRunOf, windowOf } from "../../shared/history/window.ts";
import { defaultPipeline } from "../../shared/pipelines/default.ts";
import { currencyOf } from "../../shared/platforms/catalog.ts";
import type { ItemOutcome } from "../../shared/runs/item-outcome.ts";
import { runEvents } from "../../shared/runs/run-events.ts";
import { emptyStats, type Run, type RunWatchlist } from "../../shared/runs/run.ts";
import { emptyStepStats, type StepRecord } from "../../shared/runs/step.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import { countByState } from "../../shared/watchlists/page.ts";
import { parseEvery } from "../../shared/watchlists/schedule.ts";
import { defaultSettings, noLimits } from "../../shared/watchlists/settings.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { Environment } from "../local/lambda-host.ts";
import { inventPast, type Past, type PastList, type PastRun } from "./invented-past.ts";

/** The part of a local world in which a past is written. */
interface PastWorld {
  environmentOf(functionName: string): Environment;
}

export interface WrittenPast extends Omit<PastList, "id"> {
  readonly accountId: string;
}

const dayMs = 86_400_000;
const purgeMs = 3_600_000;
const runsAtOnce = 4;

/**
 * Writes a paused watchlist with an invented past directly into the tables of a local world: items,
 * details, history, runs, and the events of the last 30 days, which are not delivered. This is much
 * faster than the runs would be. Returns the ID of the watchlist.
 * @throws Error if the account has too many watchlists
 */
export async function writePast(
  world: PastWorld,
  { accountId, ...wanted }: WrittenPast,
): Promise<string> {
  const environment = readEnvironment("watchlists", world.environmentOf("watchlists"));
  const now = systemClock.now();
  const id = newId("watchlist", now, systemRandom);
  const pastList = { ...wanted, id };
  const past = inventPast(pastList, now);
  const watchlist = watchlistAfter(pastList, { accountId, past });
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
  assert(outcome === "created", "the account has room for the watchlist");
  const runs = past.runs.map((run) => ({ run, stored: runOf(pastList, { accountId, past, run }) }));
  const table = { table: environment.WATCHLISTS_TABLE, clock: systemClock, random: systemRandom };
  await writeRows(provide.dynamo({}), table, [
    ...past.runs.flatMap((run) => segmentRows(id, run)),
    ...runs.slice(-limits.runHistoryMax).map(({ stored }) => rowOf(stored)),
  ]);
  await mergeWindows(stores.history(environment, {}), { accountId, watchlistId: id, past });
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

function watchlistAfter(pastList: PastList, { accountId, past }: Owned): Watchlist {
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
  pastList: PastList,
  { accountId, past, run }: Owned & { readonly run: PastRun },
): Run {
  const items = past.items.length;
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
    assert(outcome === "merged", "the runs of the window are recorded");
  }
}

interface Written {
  readonly past: Past;
  readonly runs: readonly { readonly run: PastRun; readonly stored: Run }[];
  readonly now: Date;
}

/** Stores the events of the runs whose events are still kept. Delivers none of them. */
async function writeEvents(world: PastWorld, { past, runs, now }: Written): Promise<void> {
  const environment = readEnvironment("events", world.environmentOf("events"));
  const { feed, bodies } = feedSources(environment, {});
  const since = new Date(now.getTime() - (limits.eventRetentionDays - 1) * dayMs).toISOString();
  const keptRuns = runs.filter(({ stored }) => stored.runNumber > 1 && stored.startedAt > since);
  const itemOf = new Map(past.items.map((item) => [item.id, item]));
  const detailsOf = new Map(past.details.map((one) => [one.id, one]));
  const archived = await inParallel(keptRuns, runsAtOnce, async ({ run, stored }) => {
    const outcomes = run.points.map(({ id, at, status, values }): ItemOutcome => ({
      id,
      at,
      status,
      addedAt: itemOf.get(id)?.addedAt ?? at,
      details: knownDetails(detailsOf.get(id)),
      ...(status === "ok"
        ? {
            changes: Object.fromEntries(
              Object.entries(values).map(([field, { before = null, after }]) => [
                field,
                { before, after },
              ]),
            ),
            reported: Object.fromEntries(
              Object.entries(values).map(([field, { after }]) => [field, after]),
            ),
          }
        : { lastSnapshot: itemOf.get(id)?.readings.standard ?? null }),
    }));
    const events = runEvents(stored, [{ step: stepOf(stored, past), outcomes }]);
    const { accountId, watchlistId, id: runId, runNumber, startedAt: runStartedAt } = stored;
    const webhookEndpointId = null;
    await archiveRun(
      { accountId, watchlistId, runId, runNumber, runStartedAt, webhookEndpointId, events },
      bodies,
    );
    return { accountId, watchlistId, runId, webhookEndpointId, events };
  });
  // The feed numbers the runs in the order of these calls.
  for (const { accountId, events, ...run } of archived) {
    const createdAt = events[0]?.createdAt;
    if (createdAt === undefined) continue;
    const types = [...new Set(events.map(({ type }) => type))];
    await feed.append(accountId, { ...run, createdAt, types });
  }
}

const stepOf = ({ id, pipeline, stats }: Run, { step }: Past): StepRecord => ({
  runId: id,
  step,
  position: 0,
  scraper: pipeline.steps[0]?.scraper ?? "retailer_d.standard",
  plan: "past",
  batches: 1,
  items: stats.tracked,
  starts: null,
  decision: "read",
  shortfall: null,
  isSent: true,
  done: new Set([0]),
  stats: stats.steps[step] ?? null,
});
