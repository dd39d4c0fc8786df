import { describe, expect, it } from "vitest";
import { gateDifferences } from "../../../scripts/bench/gate-limits.ts";

const committed = { counts: { requests: 10 }, ratios: { cpu: 4 } };

describe("the check of a benchmark against the committed file", () => {
  it("accepts counts equal to the committed counts, and a ratio of up to 1.25 times the committed ratio", () => {
    expect(gateDifferences(committed, { counts: { requests: 10 }, ratios: { cpu: 5 } })).toEqual(
      [],
    );
    expect(gateDifferences(committed, { counts: { requests: 10 }, ratios: { cpu: 1 } })).toEqual(
      [],
    );
  });

  it.each([9, 11])(
    "refuses a measured count of %i requests if the committed count is 10",
    (requests) => {
      expect(gateDifferences(committed, { counts: { requests }, ratios: { cpu: 4 } })).toEqual([
        { name: "requests", committed: 10, measured: requests, allowed: "exactly 10" },
      ]);
    },
  );

  it("refuses a ratio above 1.25 times the committed ratio", () => {
    const measured = { counts: { requests: 10 }, ratios: { cpu: 5.01 } };
    expect(gateDifferences(committed, measured)).toEqual([
      { name: "cpu", committed: 4, measured: 5.01, allowed: "at most 5.00" },
    ]);
  });

  it("refuses a measurement whose name the file lacks, and a name in the file that is no longer measured", () => {
    const measured = { counts: { units: 3 }, ratios: { cpu: 4 } };
    expect(gateDifferences(committed, measured)).toEqual([
      { name: "requests", committed: 10, measured: "none", allowed: "exactly 10" },
      { name: "units", committed: "none", measured: 3, allowed: "none" },
    ]);
  });
});
