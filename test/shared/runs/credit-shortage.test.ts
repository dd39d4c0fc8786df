import { describe, expect, it } from "vitest";
import { creditShortage } from "../../../shared/runs/credit-shortage.ts";
import { presentRun } from "../../../shared/runs/present-run.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { pulseThenFull } from "../../support/pulse-then-full.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

describe("the credit shortage text of a run", () => {
  const lite = { step: "lite", items: 4, shortfall: { needed: 4, available: 2 } };
  const full = { step: "full", items: 1, shortfall: { needed: 5, available: 1 } };

  it("lists each deferred step with the step's items, the credits that the step needed and the balance", () => {
    expect(creditShortage({ status: "completed" }, [lite, full])).toBe(
      "Step 'lite' needed 4 credits for 4 items, but the balance was 2 credits. " +
        "Step 'full' needed 5 credits for 1 item, but the balance was 1 credit. " +
        "The items of these steps are deferred to the next run.",
    );
  });

  it("states for a skipped run that nothing was read or charged", () => {
    const one = { step: "s", items: 1, shortfall: { needed: 1, available: 0 } };
    expect(creditShortage({ status: "insufficient_credits" }, [one])).toBe(
      "Step 's' needed 1 credit for 1 item, but the balance was 0 credits. " +
        "The run was skipped: nothing was read or charged.",
    );
  });

  it("is null if no step was deferred and the run was not skipped", () => {
    const steps = [{ step: "lite", items: 4, shortfall: null }];
    expect(creditShortage({ status: "completed" }, steps)).toBeNull();
  });
});

describe("the error of a run in the API and in its event", () => {
  const tables = openTables();

  const asins = ["B000000001", "B000000002", "B000000003"];
  async function ran(credits: number): Promise<{ bench: RunBench; list: Watchlist }> {
    const bench = await startRunBench({ tables, credits });
    const list = await bench.createList(asins, { platform: "retailer_a", pipeline: pulseThenFull });
    const fields = { retailer_a: { newCount: 1, newMinPrice: 1 } };
    bench.answers.product = () => ({ status: "ok", fields });
    await bench.run(list);
    return { bench, list };
  }

  const shown = async (bench: RunBench, list: Watchlist): Promise<readonly unknown[]> => {
    const [event] = [...bench.published.values()].map(
      ({ body }) => JSON.parse(body) as { data: Record<string, unknown> },
    );
    return [presentRun(await bench.lastRun(list))["error"], event?.data["error"]];
  };

  it("states why the run was skipped", async () => {
    const { bench, list } = await ran(0);
    const error =
      "Step 'pulse' needed 1 credit for 3 items, but the balance was 0 credits. " +
      "The run was skipped: nothing was read or charged.";
    expect(await bench.lastRun(list)).toMatchObject({ status: "insufficient_credits" });
    expect(await shown(bench, list)).toEqual([error, error]);
  });

  it("names the deferred step, even if the run completed", async () => {
    const { bench, list } = await ran(8);
    const error =
      "Step 'full' needed 15 credits for 3 items, but the balance was 7 credits. " +
      "The items of these steps are deferred to the next run.";
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", credits: 1 });
    expect(await shown(bench, list)).toEqual([error, error]);
  });

  it("is null if the credits covered every step", async () => {
    const { bench, list } = await ran(1_000);
    expect(await shown(bench, list)).toEqual([null, null]);
  });
});
