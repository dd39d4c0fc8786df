import { describe, expect, it } from "vitest";
import { gateDifferences } from "../../../scripts/bench/gate-limits.ts";

const committed = { counts: { requests: 10 }, ratios: { cpu: 4 } };

describe("the gate of the benches", () => {
  it("accepts equal counts and a ratio of up to 1.25 times the committed one", () => {
    expect(gateDifferences(committed, { counts: { requests: 10 }, ratios: { cpu: 5 } })).toEqual(
      [],
    );
    expect(gateDifferences(committed, { counts: { requests: 10 }, ratios: { cpu: 1 } })).toEqual(
      [],
    );
  });

  it.each([9, 11])("refuses %i requests where 10 are committed", (requests) => {
    expect(gateDifferences(committed, { counts: { requests }, ratios: { cpu: 4 } })).toEqual([
      { name: "requests", committed: 10, measured: requests, allowed: "exactly 10" },
    ]);
  });

  it("refuses a ratio above 1.25 times the committed one", () => {
    const measured = { counts: { requests: 10 }, ratios: { cpu: 5.01 } };
    expect(gateDifferences(committed, measured)).toEqual([
      { name: "cpu", committed: 4, measured: 5.01, allowed: "at most 5.00" },
    ]);
  });

  it("refuses names that are new or no longer measured, so that the file stays complete", () => {
    const measured = { counts: { units: 3 }, ratios: { cpu: 4 } };
    expect(gateDifferences(committed, measured)).toEqual([
      { name: "requests", committed: 10, measured: "none", allowed: "exactly 10" },
      { name: "units", committed: "none", measured: 3, allowed: "none" },
    ]);
  });
});
