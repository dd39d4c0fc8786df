import { describe, expect, it } from "vitest";
import { emptyDraft } from "../../../functions/dashboard/browser/pages/try/calls.ts";
import { priceNote } from "../../../functions/dashboard/browser/pages/try/price.ts";
import { presentPlatforms } from "../../../shared/platforms/present-platform.ts";
import { noHealth } from "../../support/no-health.ts";

const platform = (id: string) => presentPlatforms(noHealth).data.find((one) => one.id === id);

describe("the price of a call that the dashboard shows", () => {
  it.each([
    ["retailer_a", "full", "b0sandbox0 B0SANDBOX0\nB0SANDBOX1", "2 items"],
    ["retailer_c", "standard", "A-9000000, 9000000", "1 item"],
    ["retailer_d", "standard", "9000000 9000000 no-sku NO-SKU", "3 items"],
  ])(
    "counts an ID of the platform %s exactly once if the call contains the ID in several spellings",
    (...[id, tier, ids, expected]) => {
      const draft = { ...emptyDraft, platform: id, tier, ids };
      expect(priceNote("products", draft, platform(id)).split(",")[0]).toBe(expected);
    },
  );

  it("counts an offer exactly once if the call contains the offer's item ID in several spellings", () => {
    const offers = "b0sandbox0 abc\nB0SANDBOX0 abc\nB0SANDBOX0 ABC";
    const draft = { ...emptyDraft, platform: "retailer_a", offers };
    expect(priceNote("offer_check", draft, platform("retailer_a"))).toMatch(/^2 offers,/);
  });

  it("is shown as free for a call that reads no items", () => {
    expect(priceNote("platforms", emptyDraft, undefined)).toBe("Free.");
  });

  it("is empty until the user has chosen a platform and a tier of that platform", () => {
    const draft = { ...emptyDraft, platform: "retailer_a", tier: "none" };
    expect(priceNote("products", draft, undefined)).toBe("");
    expect(priceNote("products", draft, platform("retailer_a"))).toBe("");
  });
});
