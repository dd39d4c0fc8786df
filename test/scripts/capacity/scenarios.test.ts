import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configs } from "../../../lib/config.ts";
import { capacityRows } from "../../../scripts/capacity/rows.ts";
import { defaultAssumptions, simulateScenarios } from "../../../scripts/capacity/scenarios.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/performance.md"), "utf8");
const cellsOf = (line: string): readonly string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("10,000 watchlists with the settings of prod", () => {
  const scenarios = simulateScenarios(configs.prod, defaultAssumptions);

  it("end their runs within 15 minutes, spread evenly and all on the hour", () => {
    expect(scenarios.map(({ isInTime }) => isInTime)).toEqual([true, true]);
  });

  it("are in docs/performance.md with the times that the simulation computes", () => {
    const rows = capacityRows(scenarios);
    const lines = page.split("\n").map(cellsOf);
    expect(lines).toContainEqual(Object.keys(rows[0] ?? {}));
    for (const row of rows) expect(lines).toContainEqual(Object.values(row));
  });

  it("are late with fewer step workers", () => {
    const { concurrencyMax } = configs.prod;
    const fewer = { concurrencyMax: { ...concurrencyMax, steps: 50 } };
    const late = simulateScenarios(fewer, defaultAssumptions);
    expect(late.map(({ isInTime }) => isInTime)).toContain(false);
  });
});
