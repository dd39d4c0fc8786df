import { describe, expect, it } from "vitest";
import { planStep } from "../../../shared/runs/plan-step.ts";
import type { Run } from "../../../shared/runs/run.ts";
import type { StepStore } from "../../../shared/runs/step-store.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

/** Plays a run of retailer_a in which the step `pulse` routes both items to the step `lite`. */
async function sweep(): Promise<{ bench: RunBench; run: Run }> {
  const bench = await startRunBench({ tables });
  const list = await bench.createList(["B000000001", "B000000002"], { platform: "retailer_a" });
  for (const price of [10, 9]) {
    const listing = { newMinPrice: price, buybox: null };
    bench.answers.product = () => ({
      status: "ok",
      fields: { price: { amount: price, currency: "USD" }, retailer_a: listing },
    });
    bench.clock.set(new Date(Date.UTC(2026, 2, 1, 10 - price)).toISOString());
    await bench.run(list);
  }
  return { bench, run: await bench.lastRun(list) };
}

/** Returns a step store that adds the name of each called method to `calls`. */
const watched = (steps: StepStore, calls: string[]): StepStore =>
  new Proxy(steps, {
    get(target, name: keyof StepStore) {
      calls.push(name);
      return target[name];
    },
  });

describe("planStep", () => {
  it("returns the stored plan of a step, and reads the earlier steps with one request", async () => {
    const { bench, run } = await sweep();
    const calls: string[] = [];
    const steps = watched(bench.steps, calls);

    expect(await planStep(run, 1, { steps, random: bench.random })).toEqual({
      kind: "planned",
      step: await bench.steps.get(run.id, "lite"),
    });
    expect(calls).toEqual(["starts", "list", "routed", "plan"]);
  });

  it("does not read earlier steps for the first step of the run order", async () => {
    const { bench, run } = await sweep();
    const calls: string[] = [];
    const steps = watched(bench.steps, calls);

    expect(await planStep(run, 0, { steps, random: bench.random })).toMatchObject({
      kind: "planned",
      step: { step: "pulse", items: 2 },
    });
    expect(calls).toEqual(["starts", "plan"]);
  });

  it("returns empty for a step without items", async () => {
    const { bench, run } = await sweep();

    expect(await planStep(run, 2, bench)).toEqual({ kind: "empty" });
  });

  it("returns over if the store accepts no plan, because the run is no longer in phase reading", async () => {
    const { bench, run } = await sweep();
    const steps: StepStore = { ...bench.steps, plan: async () => "over" };

    expect(await planStep(run, 1, { steps, random: bench.random })).toEqual({ kind: "over" });
  });
});
