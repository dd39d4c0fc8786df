import { describe, expect, it } from "vitest";
import { concurrencyLimit, insufficientCredits, rateLimited } from "../../../shared/base/errors.ts";
import { quantity } from "../../../shared/base/quantity.ts";
import { parseCron } from "../../../shared/cron/parse-cron.ts";

describe("quantity, which formats a number with its noun,", () => {
  it.each([
    [0, "0 items"],
    [1, "1 item"],
    [2, "2 items"],
  ])("uses the singular only for the number 1: the number %i results in '%s'", (count, text) => {
    expect(quantity(count, "item")).toBe(text);
  });

  it("uses the plural that the caller passes", () => {
    expect([quantity(1, "batch", "batches"), quantity(3, "batch", "batches")]).toEqual([
      "1 batch",
      "3 batches",
    ]);
  });

  it("makes error messages use the singular for 1 and the plural for 2", () => {
    expect(insufficientCredits(1, 0).message).toContain("must reserve 1 credit,");
    expect(insufficientCredits(2, 1).message).toContain("must reserve 2 credits,");
    expect(concurrencyLimit(1, 0).message).toContain("limit of 1 concurrent call is reached");
    expect(rateLimited(1, 1).message).toContain("limit of 1 call per second");
    expect(() => parseCron("*", "UTC")).toThrow("'cron' must have 5 fields (got 1 field)");
    expect(() => parseCron("* *", "UTC")).toThrow("'cron' must have 5 fields (got 2 fields)");
  });
});
