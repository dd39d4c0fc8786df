import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../../shared/base/errors.ts";
import {
  announcedPlatforms,
  currencyOf,
  parsePlatform,
  type PlatformEntry,
  platforms,
  productTiers,
} from "../../../shared/platforms/catalogue.ts";

function refusal(wanted: Parameters<typeof parsePlatform>[0]): ServiceError {
  try {
    parsePlatform(wanted);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was accepted");
}

describe("naming a shop", () => {
  it("means the platform's own marketplace when none is named", () => {
    const shop = { platform: "retailer_d", marketplace: "us" };
    expect(parsePlatform({ platform: "retailer_d" })).toEqual(shop);
    expect(parsePlatform(shop)).toEqual(shop);
  });

  it("means retailer_a when no platform is named", () => {
    expect(refusal({}).message).toContain("retailer_a");
  });

  it.each(["retailer_a", "retailer_b", "retailer_c", "retailer_e", "retailer_f", "retailer_g"])(
    "answers 501 for %s, which is announced only",
    (platform) => {
      expect(refusal({ platform })).toMatchObject({
        status: 501,
        code: "NOT_IMPLEMENTED",
        details: { comingSoon: true },
      });
    },
  );

  it("answers 501 for an announced marketplace", () => {
    expect(refusal({ platform: "retailer_d", marketplace: "ca" }).status).toBe(501);
  });

  it.each(["retailer_z", "", "RETAILER_D", "__proto__", "constructor"])(
    "answers 400 with the valid platforms for '%s'",
    (platform) => {
      const error = refusal({ platform });
      expect(error).toMatchObject({ status: 400, details: { param: "platform" } });
      for (const name of [...Object.keys(platforms), ...Object.keys(announcedPlatforms)]) {
        expect(error.message).toContain(name);
      }
    },
  );

  it("answers 400 with the valid marketplaces for an unknown one", () => {
    const error = refusal({ platform: "retailer_d", marketplace: "zz" });
    expect(error).toMatchObject({ status: 400, details: { param: "marketplace" } });
    expect(error.message).toContain("us, ca");
  });
});

describe("the catalogue", () => {
  const entries: [string, PlatformEntry][] = Object.entries({
    ...platforms,
    ...announcedPlatforms,
  });

  it.each(entries)("%s has its default marketplace and default tier", (_name, entry) => {
    expect(entry.marketplaces.map(({ code }) => code)).toContain(entry.defaultMarketplace);
    const tiers = entry.endpoints.find(({ id }) => id === "products")?.tiers ?? [];
    if (entry.defaultTier !== null) expect(tiers.map(({ id }) => id)).toContain(entry.defaultTier);
  });

  it("prices retailer_d at one credit, a thousand items a call", () => {
    expect(productTiers("retailer_d")).toEqual([
      { id: "standard", name: "Standard", costQuarters: 4, itemsPerCallMax: 1_000 },
    ]);
  });

  it("knows the currency of a marketplace", () => {
    expect(currencyOf("retailer_d", "us")).toBe("USD");
    expect(currencyOf("retailer_d", "ca")).toBe("CAD");
  });
});
