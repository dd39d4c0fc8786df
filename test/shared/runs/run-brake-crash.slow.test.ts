import { expect, it } from "vitest";
import { decideHold } from "../../../shared/runs/decide-hold.ts";
import { type CrashPoint, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

/** CRASH_STEP=1 tests every call at which the process can die, instead of every 6th. */
const step = Number(process.env["CRASH_STEP"] ?? 6);
const tables = openTables();
const span = { since: "0000", until: "9999", order: "oldest_first" } as const;

/**
 * Plays a run that the brake of its watchlist holds, and then releases or discards the run. Returns
 * the stored state at the end. `crash` is the point at which a process crashes, if any.
 */
async function play(status: "released" | "discarded", crash?: CrashPoint) {
  const bench = await startRunBench({ tables });
  const list = await bench.createList(["10001", "10002"], {
    brake: { maxChangedPercent: 50, minItems: 2 },
  });
  const answer = (amount: number) => () => ({
    status: "ok" as const,
    fields: {
      price: { amount, currency: "USD" },
      retailer_d: { state: "ADD_TO_CART", purchasable: true },
    },
  });
  bench.answers.product = answer(10);
  await bench.run(list);
  bench.published.clear();
  bench.clock.set("2026-03-01T01:00:00Z");
  bench.answers.product = answer(1_000);
  await bench.run(list, crash);
  const runCalls = bench.calls();
  const held = await bench.lastRun(list);
  bench.clock.set("2026-03-01T02:00:00Z");
  await decideHold(held, { status, reason: null }, { ...bench, warn: () => {} });
  await bench.work([], crash && { ...crash, call: crash.call - runCalls });
  const { phase, hold, credits } = await bench.lastRun(list);
  const stored = await bench.list(list);
  const items = await bench.items(list);
  const recorded = await Array.fromAsync(bench.history.runs({ watchlistId: list.id, ...span }));
  return {
    calls: runCalls + bench.calls(),
    end: {
      run: { phase, hold, credits },
      list: [stored?.runningRun, stored?.lastRunStatus],
      items: items.map(({ readings, lastChange }) => [
        readings.standard?.["price"],
        lastChange?.changes,
      ]),
      events: [...bench.published.values()].map(({ type }) => type),
      history: recorded.map(({ runNumber }) => runNumber),
    },
  };
}

it.each(["released", "discarded"] as const)(
  "a held run that a client has %s leaves the same rows and events if its process dies before or after any external call",
  async (status) => {
    const whole = await play(status);
    expect(whole.end.run.phase).toBe("done");
    for (let call = 1; call <= whole.calls; call += step) {
      for (const when of ["before", "after"] as const) {
        const { end } = await play(status, { call, when });
        expect(end, `crash ${when} call ${call}`).toEqual(whole.end);
      }
    }
  },
);
