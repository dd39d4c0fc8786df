import { describe, expect, it } from "vitest";
import { assertConcurrency, configs, stages } from "../../lib/config.ts";

describe("shares of the account's concurrency", () => {
  const { prod, dev } = configs;

  it.each(stages)("of %s add up", (stage) => {
    expect(() => assertConcurrency(configs[stage])).not.toThrow();
  });

  it("may leave Lambda what it keeps from being reserved, and not one less", () => {
    const taken = 400 + 200 + (10 + 50 + 10 + 100);
    expect(() => assertConcurrency({ ...prod, accountConcurrency: taken + 100 })).not.toThrow();
    expect(() => assertConcurrency({ ...prod, accountConcurrency: taken + 99 })).toThrow(
      "600 reserved invocations and 170 of workers leave 99 of the account's 869",
    );
  });

  it("may not be workers' altogether, so that runs never starve the API", () => {
    const { concurrencyMax } = dev;
    expect(() =>
      assertConcurrency({ ...dev, concurrencyMax: { ...concurrencyMax, steps: 40 } }),
    ).toThrow("which needs 1: lower reservedConcurrency or concurrencyMax in lib/config.ts");
  });
});
