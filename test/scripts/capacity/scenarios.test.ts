import { describe, expect, it } from "vitest";
import { configs } from "../../../lib/config.ts";
import { capacityRows } from "../../../scripts/capacity/rows.ts";
import { defaultAssumptions, simulateScenarios } from "../../../scripts/capacity/scenarios.ts";
import { pageCells } from "./markdown.ts";

describe("the simulated runs of 10,000 watchlists with the settings of prod", () => {
  const scenarios = simulateScenarios(configs.prod, defaultAssumptions);

  it("end within 15 minutes if they are spread evenly, due on the hour, or due during a tick storm", () => {
    expect(scenarios.map(({ isInTime }) => isInTime)).toEqual([true, true, true]);
  });

  it("have the times in docs/performance.md that the simulation computes", () => {
    const rows = capacityRows(scenarios);
    expect(pageCells).toContainEqual(Object.keys(rows[0] ?? {}));
    for (const row of rows) expect(pageCells).toContainEqual(Object.values(row));
  });

  it("are late if the stage has only 50 step workers", () => {
    const { concurrencyMax } = configs.prod;
    const fewer = { concurrencyMax: { ...concurrencyMax, steps: 50 } };
    const late = simulateScenarios(fewer, defaultAssumptions);
    expect(late.map(({ isInTime }) => isInTime)).toContain(false);
  });
});
