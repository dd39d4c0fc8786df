import { describe, expect, it } from "vitest";
import { type Pipeline, simulate } from "../../../scripts/capacity/simulate.ts";

const pipeline: Pipeline = {
  schedulesPerSecond: 1_000,
  starters: { parallel: 10, seconds: 1 },
  readers: { parallel: 4, seconds: 5 },
  finishers: { parallel: 10, seconds: 2 },
};

describe("the simulation of scheduled runs", () => {
  it("adds up the times of the start, the steps and the end of a run that waits for no worker", () => {
    const { duration, lastEnd } = simulate({ dueAt: [60], batches: 4, steps: 3 }, pipeline);
    expect(duration.max).toBe(1 + 3 * 5 + 2);
    expect(lastEnd).toBe(1 + 3 * 5 + 2);
  });

  it("makes batches wait for a free worker if a step has more batches than there are workers", () => {
    const { duration, waitingMax } = simulate({ dueAt: [0], batches: 9, steps: 1 }, pipeline);
    expect(duration.max).toBe(1 + 3 * 5 + 2);
    expect(waitingMax.batches).toBe(5);
  });

  it("makes runs read one after the other if there is only one step worker", () => {
    const dueAt = Array.from({ length: 8 }, () => 0);
    const slow = { ...pipeline, readers: { parallel: 1, seconds: 10 }, schedulesPerSecond: 1e9 };
    const { duration, workersMax } = simulate({ dueAt, batches: 1, steps: 1 }, slow);
    expect(duration.max).toBeCloseTo(1 + 8 * 10 + 2);
    expect(duration.p50).toBeCloseTo(1 + 4 * 10 + 2);
    expect(workersMax).toBe(8);
  });

  it("starts runs that are due at the same time at the rate at which EventBridge Scheduler invokes targets", () => {
    const dueAt = Array.from({ length: 100 }, () => 0);
    const wide = { parallel: 1_000, seconds: 1 };
    const limited = { schedulesPerSecond: 10, starters: wide, readers: wide, finishers: wide };
    const { lastEnd } = simulate({ dueAt, batches: 1, steps: 1 }, limited);
    expect(lastEnd).toBeCloseTo(99 / 10 + 3);
  });

  it("delays a run by at most one task of each kind of worker while 100 runs of another account are due at the same time", () => {
    const storm = { dueAt: Array.from({ length: 100 }, () => 0), batches: 50, steps: 1 };
    const quiet = { dueAt: [32, 61, 93], batches: 1, steps: 1 };
    const beside = simulate(quiet, pipeline, storm);
    const queued = simulate({ dueAt: [...storm.dueAt, 30], batches: 50, steps: 1 }, pipeline);

    const alone = 1 + 5 + 2;
    expect(beside.duration.max).toBeLessThanOrEqual(alone + 1 + 5 + 2);
    expect(beside.duration.max).toBeGreaterThan(alone);
    expect(queued.duration.max).toBeGreaterThan(1_000);
  });

  it("shows a growing queue of batches if more runs are due than the workers can read", () => {
    const dueAt = (periods: number) => Array.from({ length: periods * 10 }, (_, n) => n);
    const waiting = (periods: number) =>
      simulate(
        { dueAt: dueAt(periods), batches: 1, steps: 1 },
        { ...pipeline, readers: { parallel: 4, seconds: 8 } },
      ).waitingMax.batches;
    expect(waiting(8)).toBeGreaterThan(waiting(4));
  });
});
