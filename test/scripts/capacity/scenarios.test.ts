import { describe, expect, it } from "vitest";
import { configs } from "../../../lib/config.ts";
import { capacityRows } from "../../../scripts/capacity/rows.ts";
import { defaultAssumptions, simulateScenarios } from "../../../scripts/capacity/scenarios.ts";
import { pageCells } from "./markdown.ts";

describe("the simulated runs of 10,000 watchlists with the settings of prod", () => {
  const scenarios = simulateScenarios(configs.prod, defaultAssumptions);

  it("end within 15 minutes if they are due evenly over 15 minutes, all on the hour, or at the same time as another account's runs", () => {
    expect(scenarios.map(({ isInTime }) => isInTime)).toEqual([true, true, true]);
  });

  it("have the durations that docs/performance.md states", () => {
    const rows = capacityRows(scenarios);
    expect(pageCells).toContainEqual(Object.keys(rows[0] ?? {}));
    for (const row of rows) expect(pageCells).toContainEqual(Object.values(row));
  });

  it.each([
    { shown: "1,000 items in two steps", assumptions: { steps: 2 }, steps: 120 },
    { shown: "5,000 items in one step", assumptions: { items: 5_000 }, steps: 298 },
  ])(
    "end within 15 minutes with the number of step workers in docs/performance.md if each run reads $shown",
    (larger) => {
      const { concurrencyMax } = configs.prod;
      const onTheHour = (steps: number) => {
        const changed = { concurrencyMax: { ...concurrencyMax, steps } };
        return simulateScenarios(changed, { ...defaultAssumptions, ...larger.assumptions })[1];
      };
      const [usual, enough] = [onTheHour(concurrencyMax.steps), onTheHour(larger.steps)];
      const minutes = (one = usual): string =>
        `${((one?.simulated.lastEnd ?? 0) / 60).toFixed(1)} min`;

      expect([usual?.isInTime, enough?.isInTime]).toEqual([false, true]);
      expect(pageCells).toContainEqual([
        larger.shown,
        minutes(usual),
        `${larger.steps}`,
        minutes(enough),
      ]);
    },
  );

  it("take more than 15 minutes if the stage has only 50 step workers", () => {
    const { concurrencyMax } = configs.prod;
    const fewer = { concurrencyMax: { ...concurrencyMax, steps: 50 } };
    const late = simulateScenarios(fewer, defaultAssumptions);
    expect(late.map(({ isInTime }) => isInTime)).toContain(false);
  });
});
