import { describe, expect, it } from "vitest";
import {
  gapMsOf,
  localRateBudget,
  type RateAsk,
  type RateBudget,
} from "../../../../shared/sources/http/rate-budget.ts";
import { turns } from "../../../../shared/sources/http/turns.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";

const start = "2026-03-01T12:00:00Z";
const startMs = Date.parse(start);

interface Grant {
  readonly row: string;
  readonly ask: RateAsk;
  readonly starts: readonly number[];
}

/**
 * Creates the turns of one process with a separate clock, and records the permits that the
 * process's rate budget grants.
 */
function world(
  {
    callsPerSecond,
    burst,
    isSpread = true,
  }: { readonly callsPerSecond: number; readonly burst: number; readonly isSpread?: boolean },
  inner: RateBudget = localRateBudget(),
) {
  const clock = fixedClock(start);
  const grants: Grant[] = [];
  const budget: RateBudget = {
    async take(row, ask, now) {
      const grant = await inner.take(row, ask, now);
      const starts = Array.from({ length: grant.permits }, (_, n) =>
        Math.max(now.getTime(), grant.from.getTime() + n * gapMsOf(ask)),
      );
      grants.push({ row, ask, starts });
      return grant;
    },
  };
  const speed = { perSecond: () => callsPerSecond };
  const random = countingRandom();
  const options = { source: "shop", callsPerSecond, burst, speed, budget, clock, random, isSpread };
  const made = turns(options);
  const takeMany = (count: number, seconds: number): Promise<readonly boolean[]> => {
    const deadline = new Date(startMs + seconds * 1_000);
    return Promise.all(Array.from({ length: count }, () => made.take({ deadline, gapMs: 0 })));
  };
  return { takeMany, grants };
}

const rowsOf = (grants: readonly Grant[]): readonly string[] =>
  [...new Set(grants.map(({ row }) => row))].toSorted();

describe("the start times of calls to a source", () => {
  it("come from one row of the rate budget up to 250 calls per second", async () => {
    const { takeMany, grants } = world({ callsPerSecond: 250, burst: 50 });
    await takeMany(100, 60);
    expect(rowsOf(grants)).toEqual(["shop"]);
  });

  it("come from several rows of the rate budget above 250 calls per second, and these rows together allow the configured rate", async () => {
    const { takeMany, grants } = world({ callsPerSecond: 1_000, burst: 40 });
    expect(await takeMany(2_000, 60)).not.toContain(false);
    expect(rowsOf(grants)).toEqual(["shop", "shop#1", "shop#2", "shop#3"]);
    expect(new Set(grants.map(({ ask }) => ask.perSecond))).toEqual(new Set([250]));
    const starts = grants.flatMap((grant) => grant.starts).toSorted((a, b) => a - b);
    expect(starts).toHaveLength(2_000);
    const excess = starts.map((at, n) => n + 1 - ((at - startMs) / 1_000) * 1_000);
    expect(Math.max(...excess)).toBeLessThanOrEqual(40 + 4);
    // Several rows together allow the same total rate as one row: 2,000 calls take two seconds if
    // 40 of them start at once.
    expect((starts.at(-1) ?? 0) - startMs).toBeLessThanOrEqual(2_000);
  });

  it("come from at most as many rows of the rate budget as calls that may start simultaneously", async () => {
    const { takeMany, grants } = world({ callsPerSecond: 1_000, burst: 1 });
    await takeMany(100, 60);
    expect(rowsOf(grants)).toEqual(["shop"]);
  });

  it("come from another row of the rate budget if one row has no permit left before the deadline", async () => {
    const own = localRateBudget();
    const full = new Set(["shop", "shop#2", "shop#3"]);
    const inner: RateBudget = {
      async take(row, ask, now) {
        return full.has(row) ? { from: now, permits: 0 } : own.take(row, ask, now);
      },
    };
    const { takeMany } = world({ callsPerSecond: 1_000, burst: 40 }, inner);
    expect(await takeMany(20, 60)).not.toContain(false);
  });

  it("are refused if no row of the rate budget has a permit left before the deadline", async () => {
    const inner: RateBudget = { take: async (_row, _ask, now) => ({ from: now, permits: 0 }) };
    const { takeMany, grants } = world({ callsPerSecond: 1_000, burst: 40 }, inner);
    expect(await takeMany(2, 60)).toEqual([false, false]);
    expect(rowsOf(grants)).toHaveLength(4);
  });

  it("come from one row of the rate budget, however high the rate is, if the site may require pauses between calls", async () => {
    const { takeMany, grants } = world({ callsPerSecond: 1_000, burst: 40, isSpread: false });
    await takeMany(100, 60);
    expect(rowsOf(grants)).toEqual(["shop"]);
  });
});
