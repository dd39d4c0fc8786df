import { describe, expect, it } from "vitest";
import type { EffectiveResult } from "../../../shared/runs/batch.ts";
import { runResults } from "../../../shared/runs/run-results.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";

const stepNamed = (step: string): StepRecord => ({ step }) as StepRecord;

/** A store whose steps have batches with the given numbers of outcomes. Counts the reads. */
function storeOf(sizes: Readonly<Record<string, readonly number[]>>) {
  const reads: string[] = [];
  return {
    reads,
    async *effectiveResults({ step }: StepRecord) {
      reads.push(step);
      for (const size of sizes[step] ?? []) {
        yield {
          outcomes: Array.from({ length: size }, () => ({})),
          points: [],
        } as unknown as EffectiveResult;
      }
    },
  };
}

describe("the results of a run", () => {
  it("are read from the store once if the steps have few outcomes", async () => {
    const store = storeOf({ pulse: [500, 300], lite: [20] });
    const [pulse, lite] = [stepNamed("pulse"), stepNamed("lite")];
    const results = runResults([pulse, lite], store);
    const sizesOf = async (step: StepRecord) =>
      (await Array.fromAsync(results.of(step))).map(({ outcomes }) => outcomes.length);

    expect([await sizesOf(pulse), await sizesOf(lite)]).toEqual([[500, 300], [20]]);
    expect([await sizesOf(pulse), await sizesOf(lite)]).toEqual([[500, 300], [20]]);
    expect(store.reads).toEqual(["pulse", "lite"]);
  });

  it("are read again, batch by batch, for a step with more outcomes than may stay in memory", async () => {
    const store = storeOf({ full: [15_000, 15_000], lite: [20] });
    const [full, lite] = [stepNamed("full"), stepNamed("lite")];
    const results = runResults([full, lite], store);
    for (let reading = 1; reading <= 2; reading += 1) {
      expect(await Array.fromAsync(results.of(full))).toHaveLength(2);
      expect(await Array.fromAsync(results.of(lite))).toHaveLength(1);
    }
    expect(store.reads).toEqual(["full", "lite", "full"]);
  });

  it("stay in memory only up to one limit for all steps together, even if all steps are read at the same time", async () => {
    const sizes = { pulse: [8_000, 8_000], lite: [8_000, 8_000], full: [3_000] };
    const store = storeOf(sizes);
    const steps = Object.keys(sizes).map(stepNamed);
    const results = runResults(steps, store);
    const readAll = () => Promise.all(steps.map((step) => Array.fromAsync(results.of(step))));
    const first = await readAll();
    const again = await readAll();

    expect(again).toEqual(first);
    // At most 20,000 outcomes stay in memory: at most one step of 16,000 and the step of 3,000.
    const readAgain = store.reads.slice(steps.length);
    const kept = Object.entries(sizes).filter(([step]) => !readAgain.includes(step));
    expect(kept.flatMap(([, batches]) => batches).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(
      20_000,
    );
    expect(readAgain.length).toBeGreaterThan(0);
  });

  it("are kept in memory by the first complete read, even if an earlier caller stopped early", async () => {
    const store = storeOf({ pulse: [15_000, 4_000] });
    const pulse = stepNamed("pulse");
    const results = runResults([pulse], store);
    for await (const result of results.of(pulse)) {
      if (result.outcomes.length === 15_000) break;
    }
    await Array.fromAsync(results.of(pulse));
    await Array.fromAsync(results.of(pulse));

    expect(store.reads).toEqual(["pulse", "pulse"]);
  });
});
