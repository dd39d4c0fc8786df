import { beforeEach, describe, expect, it } from "vitest";
import { dynamoRunStore } from "../../../../shared/aws/runs/run-store.ts";
import { dynamoWatchlistStore } from "../../../../shared/aws/watchlists/watchlist-store.ts";
import { claimRun } from "../../../../shared/runs/claim-run.ts";
import type { Hold, Run, RunPhase, RunStats } from "../../../../shared/runs/run.ts";
import type { StepStats } from "../../../../shared/runs/step.ts";
import type { RunStore } from "../../../../shared/runs/run-store.ts";
import type { Watchlist } from "../../../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../../../shared/watchlists/watchlist-store.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { putWatchlist } from "../../../support/put-watchlist.ts";
import { openTables } from "../../../support/tables.ts";

const start = "2026-03-01T00:00:00.000Z";
/** Returns the time `seconds` seconds after `start`. */
const at = (seconds: number): string => new Date(Date.parse(start) + seconds * 1_000).toISOString();
const distant = new Date("2030-01-01T00:00:00.000Z");

const tables = openTables();
let clock: ReturnType<typeof fixedClock>;
let lists: WatchlistStore;
let store: RunStore;
let list: Watchlist;
beforeEach(async () => {
  clock = fixedClock(start);
  const options = { table: await tables.create(), clock, random: countingRandom() };
  lists = dynamoWatchlistStore(tables.client, options);
  store = dynamoRunStore(tables.client, options);
  list = aWatchlist();
  await putWatchlist({ client: tables.client, ...options }, list, []);
});

const listNow = async (): Promise<Watchlist> => {
  const found = await lists.get(list.accountId, list.id);
  if (found === undefined) throw new Error("The watchlist does not exist");
  return found;
};
/** Claims the watchlist's next run, due at the clock's time. */
async function claim(): Promise<Run> {
  const now = clock.now();
  const request = { watchlist: await listNow(), trigger: "schedule", due: now, now } as const;
  const run = await claimRun(request, store);
  if (run === undefined) throw new Error("The run was not claimed");
  return run;
}
const checked: StepStats = {
  scraper: "retailer_d.standard",
  requested: 5,
  ok: 4,
  partial: 0,
  notFound: 1,
  unavailable: 0,
  credits: 5,
  skipped: 0,
};
const stats: RunStats = {
  tracked: 5,
  entry: "check",
  newItems: 2,
  // Customers choose the IDs of steps, so an ID can be the name of an object member.
  steps: { check: checked, constructor: checked, ["__proto__"]: checked },
  matched: 0,
  deferred: 0,
  changed: 1,
  delisted: 1,
  retryNextRun: 0,
};
const ended = (run: Run): Run => ({
  ...run,
  phase: "emitting",
  status: "completed",
  finishedAt: at(100),
  credits: 5,
  stats,
});
const keep = { pause: false, consecutiveSkips: 0, refreshDue: false, revision: 1 };
/** Brings a claimed run to a phase. */
async function bring(run: Run, phase: RunPhase): Promise<Run> {
  const steps: readonly [RunPhase, () => Promise<unknown>][] = [
    ["reading", () => store.startReading(run, { plan: "plan", stats })],
    ["finishing", () => store.startFinishing(run, "completed", ["reading"])],
    ["emitting", () => store.finish(ended(run), keep)],
    ["done", () => store.markEmitted(run)],
  ];
  const last = steps.findIndex(([name]) => name === phase);
  for (const [, go] of steps.slice(0, last + 1)) await go();
  return (await store.get(run)) ?? run;
}
const stalled = async (by: string): Promise<number[]> => {
  const look = { now: new Date(by), nextCheck: distant, limit: 10 };
  return (await store.takeStalled(look)).map(({ runNumber }) => runNumber);
};

describe("the claim of a run (dynamoRunStore.claim)", () => {
  it("stores the run unchanged, and marks the run as running in the watchlist's row", async () => {
    const run = await claim();

    expect(await store.get(run)).toEqual(run);
    expect(await listNow()).toEqual({
      ...list,
      runCount: 1,
      runningRun: 1,
      lastRunAt: start,
      lastRunStatus: "running",
      nextRunAt: at(3_600),
    });
    expect(await lists.due(new Date(at(3_599)), 10)).toEqual([]);
    expect(await lists.due(new Date(at(3_600)), 10)).toHaveLength(1);
  });

  it("is refused while another run is in progress", async () => {
    await claim();
    const now = clock.now();
    const request = { watchlist: await listNow(), trigger: "manual", due: now, now } as const;

    expect(await claimRun(request, store)).toBeUndefined();
    expect((await store.list(list.id, 10)).runs).toHaveLength(1);
  });

  it("succeeds for exactly one of many concurrent calls", async () => {
    const now = clock.now();
    const request = { watchlist: list, trigger: "schedule", due: now, now } as const;

    const claims = await Promise.all(Array.from({ length: 6 }, () => claimRun(request, store)));
    expect(claims.filter((run) => run !== undefined)).toHaveLength(1);
    expect(await listNow()).toMatchObject({ runCount: 1 });
  });

  it.each<[string, Partial<Watchlist>]>([
    ["other settings", { revision: 0 }],
    ["another due time", { nextRunAt: at(300) }],
    ["a further run", { runCount: 1 }],
  ])(
    "is refused if the watchlist's row changed after it was read (the change: %s)",
    async (_, seen) => {
      const now = clock.now();
      const watchlist = { ...list, ...seen };

      expect(
        await claimRun({ watchlist, trigger: "schedule", due: now, now }, store),
      ).toBeUndefined();
      expect(await listNow()).toEqual(list);
      expect((await store.list(list.id, 10)).runs).toEqual([]);
    },
  );

  it("is refused for a deleted watchlist, and creates no rows", async () => {
    const { accountId, id: watchlistId } = list;
    await lists.remove({ accountId, watchlistId, purgeAt: distant });
    const now = clock.now();
    const request = { watchlist: list, trigger: "schedule", due: now, now } as const;

    expect(await claimRun(request, store)).toBeUndefined();
    expect(await lists.get(accountId, watchlistId)).toBeUndefined();
  });
});

describe("the phases of a stored run", () => {
  it("begin in order, and each phase stores its data", async () => {
    const run = await claim();
    const reading = await bring(run, "reading");
    expect(reading).toEqual({ ...run, phase: "reading", plan: "plan", stats });
    await store.startFinishing(run, "completed", ["reading"]);
    expect(await store.get(run)).toEqual({ ...reading, phase: "finishing", status: "completed" });
    expect(await store.finish(ended(reading), keep)).toBe("finished");
    expect(await store.get(run)).toEqual(ended(reading));
    await store.markEmitted(run);
    expect(await store.get(run)).toEqual({ ...ended(reading), phase: "done" });
  });

  it("cannot begin a second time, and keep the plan that was stored first", async () => {
    const run = await claim();
    await bring(run, "reading");
    await store.startReading(run, { plan: "other", stats: { ...stats, tracked: 9 } });
    expect(await store.get(run)).toMatchObject({ plan: "plan", stats: { tracked: 5 } });

    await store.startFinishing(run, "completed", ["reading"]);
    await store.startFinishing(run, "insufficient_credits", ["claimed", "reading"]);
    await store.recordProgress(run);
    await store.markEmitted(run);
    expect(await store.get(run)).toMatchObject({ phase: "finishing", status: "completed" });
  });

  it("are not stored if the run was deleted", async () => {
    const run = await claim();
    await store.forget(list.id, 0);
    await store.forget(list.id, run.runNumber);
    await bring(run, "done");

    expect(await store.get(run)).toBeUndefined();
  });
});

describe("the end of a run (dynamoRunStore.finish)", () => {
  it("marks the run as ended in the watchlist's row, and changes nothing when the call is repeated", async () => {
    const run = await claim();
    const finishing = await bring(run, "finishing");
    const outcome = { ...keep, consecutiveSkips: 2, refreshDue: true };

    expect(await store.finish(ended(finishing), outcome)).toBe("finished");
    const afterwards = await listNow();
    expect(afterwards).toMatchObject({
      status: "active",
      runningRun: null,
      lastRunStatus: "completed",
      consecutiveSkips: 2,
      refreshDue: true,
      nextRunAt: at(3_600),
    });
    expect(await store.finish(ended(finishing), keep)).toBe("finished_before");
    expect(await listNow()).toEqual(afterwards);
  });

  it("stores the shape of the run's answers, and passes the names of the missing fields to the next run", async () => {
    const finishing = await bring(await claim(), "finishing");
    const shape = { lostFields: ["standard.price"], missingFields: ["standard.price"] };
    await store.finish({ ...ended(finishing), shape }, { ...keep, ...shape });

    expect((await store.get(finishing))?.shape).toEqual(shape);
    expect((await listNow()).missingFields).toEqual(["standard.price"]);
    clock.set(at(3_600));
    const next = await claim();
    expect(next.missingFields).toEqual(["standard.price"]);
    expect(await store.get(next)).toEqual(next);
  });

  it("pauses the watchlist and removes its due time if the caller requests a pause", async () => {
    const finishing = await bring(await claim(), "finishing");
    await store.finish(ended(finishing), { ...keep, pause: true, consecutiveSkips: 3 });

    expect(await listNow()).toMatchObject({
      status: "paused",
      pausedReason: "insufficient_credits",
      nextRunAt: null,
    });
    expect(await lists.due(distant, 10)).toEqual([]);
  });

  it("writes nothing if the watchlist was changed since the caller read it", async () => {
    const finishing = await bring(await claim(), "finishing");
    const before = await listNow();
    const after = { ...before, name: "Another", revision: before.revision + 1 };
    expect(await lists.update({ before, after })).toMatchObject({ name: "Another" });

    expect(await store.finish(ended(finishing), { ...keep, pause: true })).toBe("conflict");
    expect(await listNow()).toMatchObject({ status: "active", runningRun: finishing.runNumber });
    expect(await store.get(finishing)).toMatchObject({ phase: "finishing" });
    expect(await store.finish(ended(finishing), { ...keep, revision: 2 })).toBe("finished");
  });

  it("writes the run of a deleted watchlist only if the caller passes no watchlist", async () => {
    const finishing = await bring(await claim(), "finishing");
    const { accountId, id: watchlistId } = list;
    await lists.remove({ accountId, watchlistId, purgeAt: distant });

    expect(await store.finish(ended(finishing), keep)).toBe("conflict");
    expect(await store.get(finishing)).toMatchObject({ phase: "finishing" });
    expect(await store.finish({ ...ended(finishing), watchlist: null }, null)).toBe("finished");
    expect(await store.get(finishing)).toMatchObject({ phase: "emitting", watchlist: null });
    expect(await lists.get(accountId, watchlistId)).toBeUndefined();
  });
});

describe("the decision about a held run (dynamoRunStore.decideHold)", () => {
  const undecided: Hold = {
    status: "held",
    changedItems: 4,
    readItems: 5,
    decidedAt: null,
    reason: null,
  };
  const released: Hold = { ...undecided, status: "released", decidedAt: at(200) };
  const discarded: Hold = { ...undecided, status: "discarded", decidedAt: at(300) };
  const finishedWithHold = async (): Promise<Run> => {
    const run = { ...ended(await bring(await claim(), "finishing")), hold: undecided };
    await store.finish(run, keep);
    return run;
  };

  it("takes effect once: a second decision changes nothing", async () => {
    const run = await finishedWithHold();
    await store.markHeld(run);

    expect(await store.decideHold(run, released)).toBe(true);
    expect(await store.decideHold(run, discarded)).toBe(false);
    expect(await store.get(run)).toMatchObject({ phase: "releasing", hold: released });
  });

  it("is refused before the run is held", async () => {
    const run = await finishedWithHold();

    expect(await store.decideHold(run, discarded)).toBe(false);
    expect(await store.get(run)).toMatchObject({ phase: "holding", hold: undecided });
  });
});

describe("dynamoRunStore.abandon, which ends a stalled run,", () => {
  it("records the error of a stalled run, and no further step of the run starts", async () => {
    const run = await claim();
    const reading = await bring(run, "reading");

    expect(await store.abandon(reading, "stuck")).toEqual({ ...reading, error: "stuck" });
    await store.startFinishing(run, "completed", ["reading"]);
    expect(await store.get(run)).toMatchObject({ phase: "reading", error: "stuck" });
    await store.startFinishing(run, "failed", ["claimed", "reading"]);
    expect(await store.get(run)).toMatchObject({ phase: "finishing", status: "failed" });
  });

  it("does not change a run that has made progress since the caller read it", async () => {
    const reading = await bring(await claim(), "reading");
    clock.advance(1_000);
    await store.recordProgress(reading);

    expect(await store.abandon(reading, "stuck")).toBeUndefined();
    expect(await store.get(reading)).toMatchObject({ error: null, progressAt: at(1) });
  });

  it("returns the same abandoned run when the call is repeated with the same error", async () => {
    const reading = await bring(await claim(), "reading");
    const failed = await store.abandon(reading, "stuck");
    clock.advance(1_000);
    await store.recordProgress(reading);

    expect(await store.abandon(reading, "stuck")).toEqual({ ...failed, progressAt: at(1) });
  });

  it("returns undefined for a run that is finishing", async () => {
    const finishing = await bring(await claim(), "finishing");
    expect(await store.abandon(finishing, "stuck")).toBeUndefined();
  });
});

describe("dynamoRunStore.takeStalled, which finds a stalled run,", () => {
  it("returns a stalled run, and does not return the same run again before its next due time", async () => {
    await claim();
    expect(await stalled(at(59))).toEqual([]);
    expect(await stalled(at(60))).toEqual([1]);
    expect(await stalled(at(60))).toEqual([]);
  });

  it.each<[RunPhase, number]>([
    ["reading", 30],
    ["finishing", 60],
  ])(
    'returns a run in the phase "%s" no earlier than %i seconds after the phase began',
    async (phase, seconds) => {
      const run = await claim();
      clock.advance(1_000);
      await bring(run, phase);

      expect(await stalled(at(seconds))).toEqual([]);
      expect(await stalled(at(1 + seconds))).toEqual([1]);
    },
  );

  it("returns a run that recorded progress no earlier than five minutes after the last progress", async () => {
    await bring(await claim(), "reading");
    clock.advance(20_000);
    const run = { accountId: list.accountId, watchlistId: list.id, runNumber: 1 };
    await store.recordProgress(run);

    expect(await stalled(at(319))).toEqual([]);
    expect(await stalled(at(320))).toEqual([1]);
  });

  it("does not return a run that is done", async () => {
    await bring(await claim(), "emitting");
    expect(await stalled(distant.toISOString())).toEqual([1]);
    await store.markEmitted({ accountId: list.accountId, watchlistId: list.id, runNumber: 1 });
    expect(await stalled("2031-01-01T00:00:00.000Z")).toEqual([]);
  });
});

describe("dynamoRunStore.list, which lists runs,", () => {
  it("returns the runs of a watchlist, newest first, and whether more runs exist", async () => {
    for (let number = 1; number <= 11; number += 1) {
      await bring(await claim(), "done");
      clock.advance(3_600_000);
    }

    const page = await store.list(list.id, 3);
    expect(page.runs.map(({ runNumber }) => runNumber)).toEqual([11, 10, 9]);
    expect(page.hasMore).toBe(true);
    expect((await store.list(list.id, 11)).hasMore).toBe(false);
    const older = await store.list(list.id, 3, 9);
    expect(older.runs.map(({ runNumber }) => runNumber)).toEqual([8, 7, 6]);
    expect(await store.list(list.id, 3, 1)).toEqual({ runs: [], hasMore: false });
    expect(await store.list("wl_other", 3)).toEqual({ runs: [], hasMore: false });
  });
});
