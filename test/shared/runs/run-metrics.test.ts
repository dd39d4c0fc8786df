import { describe, expect, it } from "vitest";
import { type Metrics, mergeMetrics } from "../../../shared/observability/metrics.ts";
import { finishRun } from "../../../shared/runs/finish-run.ts";
import { resumeRun } from "../../../shared/runs/resume-run.ts";
import { claimDueRun } from "../../../shared/runs/claim-due-run.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { countingRandom } from "../../support/clock.ts";
import { openWatchlistWorld } from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

/** Returns a metrics sink that keeps what it receives. */
function metricsSink() {
  const metrics: Metrics[] = [];
  return {
    report: (more: readonly Metrics[]): void => void metrics.push(...more),
    values: () => mergeMetrics(metrics).map(({ kind, values }) => [kind, values]),
  };
}

describe("the metrics of a schedule tick", () => {
  const due = "2026-03-01T10:31:00.000Z";
  const tickOf = async (runningRun: number | null) => {
    const world = await openWatchlistWorld(tables);
    const list = aWatchlist({ nextRunAt: due, runningRun });
    await putWatchlist({ client: world.client, ...world.options }, list, []);
    const sink = metricsSink();
    const tick = (now: string) =>
      claimDueRun(
        {
          accountId: list.accountId,
          watchlistId: list.id,
          scheduledTime: new Date(due),
          now: new Date(now),
        },
        { ...world, report: sink.report },
      );
    return { tick, sink };
  };

  it("contain one started run and the delay of its start, even if the tick arrives twice", async () => {
    const { tick, sink } = await tickOf(null);
    await tick("2026-03-01T10:31:07.500Z");
    await tick("2026-03-01T10:31:09.000Z");

    expect(sink.values()).toEqual([["run_starts", { runs_started: 1, run_late_ms: 7_500 }]]);
  });

  it("contain an overlap if the previous run is still in progress", async () => {
    const { tick, sink } = await tickOf(1);
    await tick(due);

    expect(sink.values()).toEqual([["run_starts", { runs_overlapped: 1 }]]);
  });
});

/** Returns the ports of a bench's run engine, with a metrics sink. */
const portsOf = (bench: RunBench, { report }: ReturnType<typeof metricsSink>) => ({
  ...bench,
  random: countingRandom(),
  publisher: { publish: async () => {} },
  report,
});

describe("the metrics of a run's end", () => {
  it("contain one ended run and its duration, even if the finish message arrives twice", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "unavailable" });
    await bench.runSome(list, 2);
    bench.clock.advance(30_000);
    const sink = metricsSink();
    const run = await bench.lastRun(list);
    await finishRun(run, portsOf(bench, sink));
    await finishRun(run, portsOf(bench, sink));

    const ended = {
      runs_completed: 1,
      runs_failed: 0,
      runs_unpaid: 0,
      runs_held: 0,
      runs_shape_changed: 0,
      run_ms: 30_000,
    };
    expect(sink.values()).toEqual([["run_ends", ended]]);
  });

  it("contain a run that was skipped for lack of credits as unpaid, and not as failed", async () => {
    const bench = await startRunBench({ tables, credits: 0 });
    const list = await bench.createList(["10001"]);
    await bench.runSome(list, 1);
    const sink = metricsSink();
    await finishRun(await bench.lastRun(list), portsOf(bench, sink));

    expect(sink.values()).toMatchObject([["run_ends", { runs_unpaid: 1, runs_failed: 0 }]]);
  });

  it("contain an abandoned run as failed, with the refunded credits of the run's steps", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001", "10002"]);
    await bench.runSome(list, 1);
    bench.loseMessages();
    bench.clock.advance(16 * 60_000);
    const sink = metricsSink();
    await resumeRun(await bench.lastRun(list), portsOf(bench, sink));
    await finishRun(await bench.lastRun(list), portsOf(bench, sink));

    const given = { credits_reserved: 2, credits_charged: 0, credits_refunded: 2 };
    expect(sink.values()).toMatchObject([
      ["credits", given],
      ["run_ends", { runs_completed: 0, runs_failed: 1 }],
    ]);
  });
});
