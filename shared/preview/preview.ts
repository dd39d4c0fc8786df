import { memoryLedger } from "../played-runs/memory-ledger.ts";
import { memoryPages } from "../played-runs/memory-pages.ts";
import { memoryRun } from "../played-runs/memory-run.ts";
import { type PlayedRun, playRun } from "../played-runs/play-run.ts";
import type { RandomSource } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { chargedItems, countByStatus } from "../items/envelope.ts";
import type { CreditCap } from "../items/max-credits.ts";
import { type MeteredCall, type MeteredReadDependencies, paidRead } from "../items/metered-read.ts";
import type { Pipeline, Step } from "../pipelines/definition.ts";
import { claimRun } from "../runs/claim-run.ts";
import { readStep, type StepAnswer, type StepReader, type StepSources } from "../runs/read-step.ts";
import type { RunStore } from "../runs/run-store.ts";
import { startsOf } from "../runs/start-run.ts";
import type { Item } from "../watchlists/item.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { noLimits } from "../watchlists/settings.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import { type MostReads, mostReads } from "./most-reads.ts";
import { detailsOfItems } from "../watchlists/details-of-items.ts";

/** A call of `POST /v1/watchlists/{id}/preview`. */
export interface PreviewCall extends MeteredCall {
  readonly request: PreviewRequest;
}

interface PreviewRequest extends CreditCap {
  readonly watchlist: Watchlist;
  /** The pipeline to preview. */
  readonly pipeline: Pipeline;
  /** The items to read, sorted by ID and not delisted. */
  readonly items: readonly Item[];
}

export interface PreviewDependencies extends MeteredReadDependencies, StepSources {
  readonly pages: Pick<PageStore, "detailsOf">;
  readonly runs: Pick<RunStore, "list">;
  readonly history: Pick<HistoryStore, "item" | "mergedWindows">;
  readonly random: RandomSource;
}

/** The reads of one step of a preview. */
export interface PreviewedStep {
  readonly step: Step;
  /** IDs of the items that reached the step, sorted. */
  readonly ids: readonly string[];
  /** The answers of the step; none for an item without a known offer to check. */
  readonly answers: readonly StepAnswer[];
}

/** A run that was previewed, with the reads and charges of the call. */
export interface Preview extends PlayedRun {
  readonly steps: readonly PreviewedStep[];
  /** The most reads that each step can make, and their price. The call reserved these credits. */
  readonly reserved: readonly MostReads[];
  /** Credits charged for the call, as stored in the ledger. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
}

/**
 * Runs a pipeline once on some items of a watchlist, with live reads. The code of real runs
 * (`shared/runs`) plans, reads and ends this run on stores in memory: no run is stored and no event
 * is sent. Each step costs what it costs in a real run. The call first reserves the maximum price
 * of all reads that the routes can cause.
 * @throws before any read: 402 if the balance or `max_credits` is too low, 409 if the daily budget
 * is too low, 429 if no slot is free. Later: 503 if a dependency fails or no time is left to
 * respond; the errors of the scrapers
 */
export async function preview(
  call: PreviewCall,
  dependencies: PreviewDependencies,
): Promise<Preview> {
  const { request } = call;
  const watchlist = previewedWatchlist(request);
  const memory = memoryRun(newId("run", call.now, dependencies.random));
  await claimRun({ watchlist, trigger: "manual", due: call.now, now: call.now }, memory.runs);
  const reserved = mostReads(
    request.pipeline,
    request.items.map((item) => startsOf(item, memory.run())),
  );
  const steps: PreviewedStep[] = [];
  const { result, credits, balance } = await paidRead<PlayedRun>(
    call,
    {
      watchlistId: watchlist.id,
      items: sumOf(reserved.map(({ items }) => items)),
      reserved: sumOf(reserved.map((most) => most.credits)),
      cap: request,
      read: async () =>
        playRun(
          { memory, watchlist, deadline: call.deadline },
          { ...(await engineOf(call, dependencies)), read: recordedReads(steps, dependencies) },
        ),
      charge: ({ run }) => ({
        credits: run.credits,
        items: chargedItems(countByStatus(steps.flatMap(({ answers }) => answers))),
      }),
    },
    dependencies,
  );
  return { ...result, steps, reserved, credits, balance };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/**
 * Returns the watchlist as it is before its next run, but with the previewed pipeline and without
 * limits. The limits of a watchlist apply only to its runs. A preview has the limits of the call
 * and of the account.
 */
const previewedWatchlist = ({ watchlist, pipeline }: PreviewRequest): Watchlist => ({
  ...watchlist,
  pipeline,
  webhookEndpointId: null,
  webhookUrl: null,
  ...noLimits,
});

/**
 * Returns the dependencies of the run in memory: its items, a ledger that accepts every
 * reservation, and the stored history of the items.
 */
async function engineOf(
  { request: { watchlist, items } }: PreviewCall,
  { pages: stored, runs, history, clock, random }: PreviewDependencies,
) {
  const details = await detailsOfItems(
    watchlist,
    items.map(({ id }) => id),
    stored,
  );
  const { pages, put } = memoryPages({ details: async () => details });
  put(items);
  return {
    pages,
    // The call has already reserved the credits of all steps, so every reservation succeeds.
    ledger: memoryLedger(async () => ({ outcome: "reserved" })),
    history,
    earlierRuns: runs,
    clock,
    clockAtEnd: clock,
    random,
  };
}

/** Returns a reader of the sources that adds each step that it reads to `steps`. */
const recordedReads =
  (steps: PreviewedStep[], sources: StepSources): StepReader =>
  async (request) => {
    const answers = await readStep(request, sources);
    steps.push({ step: request.step, ids: request.items.map(({ id }) => id), answers });
    return answers;
  };
