import { describe, expect, it } from "vitest";
import { retryBudget, withRetryBudget } from "../../../shared/base/retry-budget.ts";
import type { Claim, RunStore } from "../../../shared/runs/run-store.ts";
import { runNow } from "../../../shared/runs/run-now.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";

/**
 * Creates a watchlist that another call changes before each of the first `lostClaims` claims. A
 * claim takes `claimMs` milliseconds. `run` starts a manual run of the watchlist.
 */
function contended(lostClaims: number, claimMs = 0, settings: Partial<Watchlist> = {}) {
  const clock = fixedClock("2026-03-01T00:00:00Z");
  const pauses: number[] = [];
  let claims = 0;
  let lastClaim: Claim | undefined;
  const claim: RunStore["claim"] = async (request) => {
    claims += 1;
    lastClaim = request;
    clock.advance(claimMs);
    return claims > lostClaims ? "claimed" : "conflict";
  };
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  const run = () =>
    runNow(aWatchlist(settings), clock.now(), {
      watchlists: { get: async () => aWatchlist({ revision: claims + 1 }) },
      runs: { claim } as RunStore,
      queue: { sendResume: async () => {} } as never,
      schedules: { put: async () => {}, remove: async () => {} },
      clock: { ...clock, sleep },
      random: countingRandom(),
      warn: () => {},
    });
  return { clock, pauses, run, claims: () => claims, claimed: () => lastClaim };
}

describe("the start of a manual run", () => {
  it("keeps the due time that another process stored if this time is later than the due time that a suspended request calculates", async () => {
    const nextRunAt = "2026-03-01T09:00:00.000Z";
    const { run, claimed } = contended(0, 0, { nextRunAt });
    await run();
    expect(claimed()?.nextRunAt).toBe(nextRunAt);
  });
});

describe("the start of a manual run while other calls change the watchlist", () => {
  it("waits longer before each further attempt to claim the run", async () => {
    const { run, pauses } = contended(3);
    expect(await run()).toMatchObject({ trigger: "manual" });
    expect(pauses).toEqual([2.5, 5, 10]);
  });

  it("returns 503 if the failed attempts use up its retry budget", async () => {
    const { run, clock, claims } = contended(Infinity, 3_000);
    const budget = retryBudget({ clock, lossMs: 7_000 });
    await expect(withRetryBudget(budget, run)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(claims()).toBe(3);
  });

  it("returns 409 if other calls prevent every attempt to claim the run", async () => {
    const { run } = contended(Infinity);
    await expect(run()).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
