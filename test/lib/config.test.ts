import { describe, expect, it } from "vitest";
import { assertConcurrency, configs, stages, withAccountConcurrency } from "../../lib/config.ts";

const { prod, dev } = configs;

describe("the configured concurrency of workers and reservations", () => {
  it.each(stages)("is at most the AWS account's quota in the stage %s", (stage) => {
    expect(() => assertConcurrency(configs[stage])).not.toThrow();
  });

  it("leaves as much unreserved concurrency as Lambda requires", () => {
    const taken = 370 + 180 + 30 + 30 + 3 + (10 + 60 + 10 + 100 + 5);
    expect(() => assertConcurrency({ ...prod, accountConcurrency: taken + 100 })).not.toThrow();
    expect(() => assertConcurrency({ ...prod, accountConcurrency: taken + 99 })).toThrow(
      "185 invocations of workers and 613 reserved invocations leave 99 of the AWS account's quota of 897",
    );
  });

  it("is refused if the workers would use up the AWS account's quota and leave nothing to the API", () => {
    const { concurrencyMax } = dev;
    expect(() =>
      assertConcurrency({ ...dev, concurrencyMax: { ...concurrencyMax, steps: 40 } }),
    ).toThrow("which need 1. Lower concurrencyMax or reservedConcurrency in lib/config.ts");
  });
});

describe("the concurrency quota of an AWS account", () => {
  it("reduces every maximum and reservation in proportion if the quota is below the default", () => {
    expect(withAccountConcurrency(prod, 500)).toMatchObject({
      accountConcurrency: 500,
      concurrencyMax: { runs: 5, steps: 30, finishes: 5, deliveries: 50 },
      // No number is below two: SQS accepts no lower maximum, and passes of the sweeper may
      // overlap.
      reservedConcurrency: {
        products: 185,
        offers: 90,
        "webhook-endpoints": 15,
        "s3-destination": 15,
        sweeper: 2,
      },
    });
  });

  it("removes all reservations and reduces the number of workers if the quota is too small for reservations", () => {
    expect(withAccountConcurrency(prod, 400)).toMatchObject({ reservedConcurrency: null });
    expect(withAccountConcurrency(prod, 50)).toMatchObject({
      concurrencyMax: { runs: 2, steps: 3, finishes: 2, deliveries: 5 },
      reservedConcurrency: null,
    });
  });

  it("changes no maximum or reservation if the quota is above the default", () => {
    expect(withAccountConcurrency(prod, 3_000)).toEqual({ ...prod, accountConcurrency: 3_000 });
  });

  it.each([
    ["prod", 9],
    ["dev", 9],
  ] as const)(
    "leaves the API in the stage %s a concurrency of at least 1 if the quota is %i, and is refused if the quota is lower",
    (stage, quota) => {
      expect(() => assertConcurrency(withAccountConcurrency(configs[stage], quota))).not.toThrow();
      expect(() => assertConcurrency(withAccountConcurrency(configs[stage], quota - 1))).toThrow(
        "leave 0 of the AWS account's quota of 8",
      );
    },
  );

  it("results in maximums and reservations that Lambda accepts for every quota from 9 to 1,200", () => {
    for (let quota = 9; quota <= 1_200; quota += 1) {
      expect(() => assertConcurrency(withAccountConcurrency(prod, quota))).not.toThrow();
    }
  });
});
