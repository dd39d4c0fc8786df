import * as provide from "../../functions/composition/process.ts";
import { feedSources } from "../../functions/composition/events.ts";
import * as stores from "../../functions/composition/watchlist-stores.ts";
import { readEnvironment } from "../../functions/environment.ts";
import { stepRow } from "../../shared/aws/runs/run-row.ts";
import { writeRows } from "../../shared/aws/table/dynamo.ts";
import { epochSeconds, watchlistKeys } from "../../shared/aws/table/table.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { quartersPerCredit } from "../../shared/credits/charge.ts";
import { archiveRun } from "../../shared/events/event-archive.ts";
import type { ItemOutcome } from "../../shared/runs/item-outcome.ts";
import type { Run } from "../../shared/runs/run.ts";
import { runEvents } from "../../shared/runs/run-events.ts";
import { resultsIn } from "../stand-ins/results-in.ts";
import type { StepRecord } from "../../shared/runs/step.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import type { Environment } from "../local/lambda-host.ts";
import { itemsReadBy, type Past, type PastRun } from "./invented-past.ts";

/**
 * The part of a local world with which a past is written: the functions' environments name the
 * tables and buckets.
 */
export interface PastWorld {
  environmentOf(functionName: string): Environment;
}

/** A past run, and the run as it is stored. */
export interface WrittenRun {
  readonly run: PastRun;
  readonly stored: Run;
}

interface Written {
  readonly past: Past;
  readonly runs: readonly WrittenRun[];
  readonly now: Date;
}

const dayMs = 86_400_000;
const runsAtOnce = 4;
/** Days for which the rows of steps and of their results are kept. */
const resultDays = 14;

/**
 * Writes the steps of the past runs of the last 14 days, with their results, in the form in which
 * runs store them.
 */
export async function writeResults(world: PastWorld, { past, runs, now }: Written): Promise<void> {
  const environment = readEnvironment("watchlists", world.environmentOf("watchlists"));
  const steps = stores.steps(environment, {});
  const since = new Date(now.getTime() - resultDays * dayMs).toISOString();
  const kept = runs.filter(({ stored }) => stored.startedAt > since);
  const outcomesOf = outcomesIn(past);
  const ttl = epochSeconds(now) + resultDays * 86_400;
  const rows = await inParallel(kept, runsAtOnce, async ({ run, stored }) => {
    const { accountId, watchlistId, id: runId, runNumber } = stored;
    const step = stepOf(stored, past);
    const { plan, starts, stats } = step;
    const ids = itemsReadBy(past, run).map(({ id }) => id);
    await steps.saveStarts(runId, plan, new Map([[step.step, [ids]]]));
    const ref = {
      accountId,
      watchlistId,
      runNumber,
      runId,
      step: step.step,
      plan,
      starts,
      batch: 0,
    };
    const { requested = 0, ok = 0, notFound = 0, credits = 0 } = stats ?? {};
    const counts = { requested, ok, partial: 0, notFound, unavailable: 0, skipped: 0 };
    await steps.recordResult(ref, {
      counts: { ...counts, quarters: credits * quartersPerCredit },
      outcomes: outcomesOf(run),
    });
    const { decision, isSent, done } = step;
    const progress = { decision, is_sent: isSent, done, stats };
    return { ...watchlistKeys.step(runId, step.step), ...stepRow(step), ...progress, ttl };
  });
  const table = { table: environment.WATCHLISTS_TABLE, clock: systemClock, random: systemRandom };
  await writeRows(provide.dynamo({}), table, rows);
}

/**
 * Writes the events of the past runs that started in the last 29 days, except those of the
 * watchlist's first run. The service lists events for 30 days, so these events stay for at least
 * another day. Delivers no event.
 */
export async function writeEvents(world: PastWorld, { past, runs, now }: Written): Promise<void> {
  const environment = readEnvironment("events", world.environmentOf("events"));
  const { feed, bodies } = feedSources(environment, {});
  const since = new Date(now.getTime() - (limits.eventRetentionDays - 1) * dayMs).toISOString();
  const kept = runs.filter(({ stored }) => stored.runNumber > 1 && stored.startedAt > since);
  const outcomesOf = outcomesIn(past);
  const archived = await inParallel(kept, runsAtOnce, async ({ run, stored }) => {
    const outcomes = outcomesOf(run);
    const results = resultsIn([{ step: stepOf(stored, past), outcomes }]);
    const events = await Array.fromAsync(runEvents(stored, results));
    const { accountId, watchlistId, id: runId, runNumber, startedAt: runStartedAt } = stored;
    const webhookEndpointId = null;
    // The feed stores no archive of a small run, so this function stores all archives as objects.
    await archiveRun(
      { accountId, watchlistId, runId, runNumber, runStartedAt, webhookEndpointId, events },
      { ...bodies, writes: "current" },
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

/**
 * Returns a function that returns the outcomes of a past run, one for each item that changed or was
 * delisted.
 */
function outcomesIn(past: Past): (run: PastRun) => readonly ItemOutcome[] {
  const itemOf = new Map(past.items.map((item) => [item.id, item]));
  const detailsOf = new Map(past.details.map((one) => [one.id, one]));
  return ({ points }) =>
    points.map(({ id, at, status, values }): ItemOutcome => ({
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
}

/** Returns the only step of a past run. */
export const stepOf = ({ id, pipeline, stats }: Run, { step }: Past): StepRecord => ({
  runId: id,
  step,
  position: 0,
  scraper: pipeline.steps[0]?.scraper ?? "retailer_d.standard",
  plan: "past",
  batches: 1,
  items: stats.tracked,
  starts: "past",
  decision: "read",
  shortfall: null,
  isSent: true,
  done: new Set([0]),
  stats: stats.steps[step] ?? null,
});
