import { describe, expect, it } from "vitest";
import { bestEffort } from "../../../shared/base/best-effort.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  OutOfTimeError,
  repeats,
  retryBudget,
  withinBudget,
  withRetryBudget,
  withSeparateLoss,
} from "../../../shared/base/retry-budget.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";

const world = (lossMs: number, endsInMs?: () => number) => {
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const asked: number[] = [];
  /** Returns a request that takes `tookMs` and then fails, unless `outcome` is `succeeds`. */
  const request = (tookMs: number, outcome: "fails" | "succeeds" = "fails") =>
    withinBudget(4_000, async (milliseconds) => {
      asked.push(milliseconds);
      clock.advance(tookMs);
      if (outcome === "fails") throw new Error("no response");
      return "answer";
    });
  const failing = async (tookMs: number): Promise<unknown> =>
    request(tookMs).catch((error: unknown) => error);
  const budget = retryBudget({ clock, lossMs, ...(endsInMs === undefined ? {} : { endsInMs }) });
  const under = <Result>(act: () => Result): Result => withRetryBudget(budget, act);
  return { clock, asked, request, failing, budget, under };
};

describe("a retry budget", () => {
  it("limits each request to the time that remains after earlier failed requests", async () => {
    const { under, failing, asked } = world(7_000);
    await under(async () => {
      await failing(4_000);
      await failing(3_000);
      expect(await failing(1)).toBeInstanceOf(OutOfTimeError);
    });
    expect(asked).toEqual([4_000, 3_000]);
  });

  it("is not reduced by successful requests, however long these requests take", async () => {
    const { under, request, budget } = world(7_000);
    await under(async () => {
      for (let n = 0; n < 10; n += 1) await request(3_000, "succeeds");
    });
    expect(budget.leftMs()).toBe(7_000);
  });

  it("counts the time of two parallel failed requests only once", async () => {
    const { clock, under, budget } = world(7_000);
    const ends = Promise.withResolvers<void>();
    const hanging = () => withinBudget(4_000, () => ends.promise).catch((error: unknown) => error);
    await under(async () => {
      const both = [hanging(), hanging()];
      clock.advance(2_500);
      ends.reject(new Error("no response"));
      await Promise.all(both);
    });
    expect(budget.leftMs()).toBe(4_500);
  });

  it("refuses a request after the deadline of the work", async () => {
    const { under, failing, asked } = world(7_000, () => 0);
    expect(await under(() => failing(1))).toBeInstanceOf(OutOfTimeError);
    expect(asked).toEqual([]);
  });

  it("is reduced by the wait before a retry, and refuses a wait that leaves no time for the retry", async () => {
    const { clock, under, budget } = world(1_000);
    const sleeping = { ...clock, sleep: async (ms: number) => clock.advance(ms) };
    await under(async () => {
      const bounds = { pauseMs: 800, pauseMsMax: 800 };
      const mayRepeat = repeats({ clock: sleeping, random: countingRandom() }, bounds);
      clock.advance(300);
      expect(await mayRepeat()).toBe(true);
      expect(budget.leftMs()).toBe(300);
      expect(await mayRepeat()).toBe(false);
    });
    expect(budget.leftMs()).toBe(300);
  });

  it("allows the maximum number of attempts, with waits between them that double up to a maximum", async () => {
    const pauses: number[] = [];
    const clock = { now: () => new Date(0), sleep: async (ms: number) => void pauses.push(ms) };
    const bounds = { triesMax: 4, pauseMs: 10, pauseMsMax: 30 };
    const mayRepeat = repeats({ clock, random: countingRandom() }, bounds);
    const answers = [await mayRepeat(), await mayRepeat(), await mayRepeat(), await mayRepeat()];
    expect(answers).toEqual([true, true, true, false]);
    expect(pauses).toEqual([5, 10, 15]);
  });

  it("does not limit work that was started without a retry budget", async () => {
    const { failing, asked } = world(0);
    await failing(60_000);
    await failing(60_000);
    expect(asked).toEqual([4_000, 4_000]);
  });
});

describe("a separate retry budget", () => {
  it("does not change the retry budget of the surrounding work", async () => {
    const { under, failing, budget } = world(7_000);
    await under(() => withSeparateLoss(1_500, () => failing(1_500)));
    expect(budget.leftMs()).toBe(7_000);
  });

  it("ends at the deadline of the surrounding work, but ignores the time that failed requests of this work took", async () => {
    let endsInMs = 5_000;
    const { under, failing, asked } = world(1_000, () => endsInMs);
    await under(async () => {
      await failing(1_000);
      await withSeparateLoss(1_500, () => failing(100));
      endsInMs = 0;
      expect(await withSeparateLoss(1_500, () => failing(100))).toBeInstanceOf(OutOfTimeError);
    });
    expect(asked).toEqual([1_000, 1_500]);
  });

  it("limits the time of a wake-up message that gets no response, and the surrounding work continues", async () => {
    const { under, request, budget, asked } = world(7_000);
    const warned: string[] = [];
    await under(() =>
      bestEffort(
        async () => void (await request(limits.dependencies.wakeUpMs)),
        (message) => void warned.push(message),
      ),
    );
    expect(asked).toEqual([limits.dependencies.wakeUpMs]);
    expect(warned).toHaveLength(1);
    expect(budget.leftMs()).toBe(7_000);
  });
});

it("a call that uses up its retry budget and then the largest separate retry budget gets a response within 10 seconds", () => {
  const { callLossMs, wakeUpMs, cancelMs, answerSpareMs } = limits.dependencies;
  expect(callLossMs + Math.max(wakeUpMs, cancelMs)).toBeLessThan(10_000 - 1_000);
  expect(cancelMs).toBeLessThan(answerSpareMs);
});
