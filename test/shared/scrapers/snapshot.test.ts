import { describe, expect, it } from "vitest";
import { systemClock } from "../../../shared/base/system.ts";
import { scrapers } from "../../../shared/scrapers/catalogue.ts";
import { snapshotOf } from "../../../shared/scrapers/snapshot.ts";
import { sandboxAnswer } from "../../../shared/sources/sandbox.ts";

const scraper = "retailer_d.standard";

describe("a snapshot of retailer_d", () => {
  it("holds every tracked field of a whole result", () => {
    const answer = sandboxAnswer({
      scraper,
      marketplace: "us",
      id: "9000000",
      at: systemClock.now(),
      seed: "test",
    });
    if (answer.status !== "ok") throw new Error("The steady item is always found");
    const snapshot = snapshotOf(scraper, answer.fields);
    expect(Object.keys(snapshot).toSorted()).toEqual(
      [...scrapers[scraper].trackedFields].toSorted(),
    );
    expect(snapshot).toEqual({
      price: 99.99,
      inStock: true,
      state: "ADD_TO_CART",
      regularPrice: 149.99,
      purchasable: true,
    });
  });

  it("leaves out what was not observed", () => {
    expect(snapshotOf(scraper, { title: "Lamp", retailer_d: { state: "SOLD_OUT" } })).toEqual({
      state: "SOLD_OUT",
    });
  });

  it("keeps null as a value, of a field and of what holds it", () => {
    expect(snapshotOf(scraper, { price: null, retailer_d: { regularPrice: null } })).toEqual({
      price: null,
      regularPrice: null,
    });
  });

  it("takes no value that cannot be compared, nor one out of what holds nothing", () => {
    expect(snapshotOf(scraper, { price: { amount: { nested: 1 } }, availability: "yes" })).toEqual(
      {},
    );
  });

  it("agrees with rules on names: what a rule may test is in the snapshot", () => {
    const { testableFields, trackedFields } = scrapers[scraper];
    expect([...testableFields].toSorted()).toEqual([...trackedFields].toSorted());
  });
});
