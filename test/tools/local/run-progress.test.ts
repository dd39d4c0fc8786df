import { expect, it } from "vitest";
import { progressLines } from "../../../tools/local/run-progress.ts";
import { dynamoRunStore } from "../../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../../shared/aws/runs/step-store.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { claimRun } from "../../../shared/runs/claim-run.ts";
import type { Run } from "../../../shared/runs/run.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { fixedClock } from "../../support/clock.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const watchlist = aWatchlist();
const outcome = { pause: false, consecutiveSkips: 0, refreshDue: false, revision: 1 };

/** Creates a watchlist whose first run is claimed. `look` polls the progress of the runs once. */
async function aClaimedRun() {
  const clock = fixedClock("2026-03-01T00:00:00.000Z");
  const options = { table: await tables.create(), clock, random: systemRandom };
  const { client } = tables;
  await putWatchlist({ client, ...options }, watchlist, []);
  const runs = dynamoRunStore(client, options);
  const now = clock.now();
  const run = await claimRun({ watchlist, trigger: "initial", due: now, now }, runs);
  if (run === undefined) throw new Error("The run was not claimed");
  const look = progressLines(client, options);
  return { clock, options, runs, steps: dynamoStepStore(client, options), run, look };
}

type Claimed = Awaited<ReturnType<typeof aClaimedRun>>;

async function startStep({ run, runs, steps }: Claimed): Promise<StepRecord> {
  await runs.startReading(run, { plan: "p1", stats: run.stats });
  const step: StepRecord = {
    runId: run.id,
    step: "pulse",
    position: 0,
    scraper: "retailer_d.standard",
    plan: "p1",
    batches: 4,
    items: 50_000,
    starts: "p1",
    decision: null,
    shortfall: null,
    isSent: false,
    done: new Set(),
    stats: null,
  };
  const reading: Run = { ...run, phase: "reading", plan: "p1" };
  await steps.plan(reading, { step, batches: [] });
  await steps.decide(reading, step, null);
  return step;
}

const batchOf = (run: Run, batch: number) => ({
  accountId: run.accountId,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  runId: run.id,
  step: "pulse",
  plan: "p1",
  starts: "p1",
  batch,
});

async function end({ clock, run, runs }: Claimed, credits = 12_512): Promise<void> {
  await runs.startFinishing(run, "completed", ["claimed", "reading"]);
  const ended = { ...run, status: "completed", credits } as const;
  await runs.finish({ ...ended, finishedAt: clock.now().toISOString() }, outcome);
}

it("the local world prints a run when the run has taken a second, and again only after the run has made progress", async () => {
  const claimed = await aClaimedRun();
  const { clock, run, steps, look } = claimed;
  clock.advance(999);
  expect(await look()).toEqual([]);
  clock.advance(1);
  expect(await look()).toEqual([`run  ${watchlist.id} #1 baseline  starting`]);
  expect(await look()).toEqual([]);
  await startStep(claimed);
  await steps.markDone(batchOf(run, 0));
  await steps.markDone(batchOf(run, 2));
  const line = `run  ${watchlist.id} #1 baseline  pulse  25,000 of 50,000 items`;
  expect(await look()).toEqual([line]);
  await steps.markDone(batchOf(run, 2));
  expect(await look()).toEqual([]);
});

it("the local world prints the end of a run once, and not again when the run's events are published", async () => {
  const claimed = await aClaimedRun();
  const { clock, run, runs, look } = claimed;
  await look();
  clock.advance(4_200);
  await end(claimed);
  const line = `run  ${watchlist.id} #1 baseline  completed in 4.2 s, 12,512 credits`;
  expect(await look()).toEqual([line]);
  expect(await look()).toEqual([]);
  await runs.markEmitted(run);
  expect(await look()).toEqual([]);
});

it('the local world prints "1 credit" for a run that cost one credit', async () => {
  const claimed = await aClaimedRun();
  await claimed.look();
  claimed.clock.advance(1_000);
  await end(claimed, 1);
  expect(await claimed.look()).toEqual([
    `run  ${watchlist.id} #1 baseline  completed in 1.0 s, 1 credit`,
  ]);
});

it("the local world prints the end of a run even if the run leaves the due index between two polls", async () => {
  const claimed = await aClaimedRun();
  const { clock, run, runs, look } = claimed;
  clock.advance(1_000);
  await look();
  await end(claimed);
  await runs.markEmitted(run);
  expect(await look()).toEqual([
    `run  ${watchlist.id} #1 baseline  completed in 1.0 s, 12,512 credits`,
  ]);
});

it("the local world does not print a run that ends within a second", async () => {
  const claimed = await aClaimedRun();
  const { clock, look } = claimed;
  await look();
  clock.advance(999);
  await end(claimed);
  clock.advance(1_000);
  expect(await look()).toEqual([]);
});

it("the local world prints a failed run with the reason", async () => {
  const claimed = await aClaimedRun();
  const { clock, run, runs, look } = claimed;
  clock.advance(2_000);
  await runs.abandon(run, "The run stood still.");
  await runs.startFinishing(run, "failed", ["claimed"]);
  expect(await look()).toEqual([`run  ${watchlist.id} #1 baseline  finishing`]);
  const finishedAt = clock.now().toISOString();
  const failed = await runs.get(run);
  await runs.finish({ ...run, ...failed, finishedAt }, outcome);
  expect(await look()).toEqual([
    `run  ${watchlist.id} #1 baseline  failed in 2.0 s, 0 credits: The run stood still.`,
  ]);
});

it("the local world stops printing a run that was deleted with its watchlist", async () => {
  const { clock, runs, run, look } = await aClaimedRun();
  clock.advance(1_000);
  await look();
  await runs.forget(run.watchlistId, run.runNumber);
  clock.advance(1_000);
  expect(await look()).toEqual([]);
});
