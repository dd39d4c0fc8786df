import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../../shared/base/errors.ts";
import {
  announcedPlatforms,
  currencyOf,
  parsePlatform,
  type Platform,
  type PlatformEntry,
  platforms,
  productTiers,
} from "../../../shared/platforms/catalog.ts";

function refusal(wanted: Parameters<typeof parsePlatform>[0]): ServiceError {
  try {
    parsePlatform(wanted);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("The platform and marketplace were accepted.");
}

describe("the platform and marketplace of a request", () => {
  it.each(["retailer_a", "retailer_b", "retailer_c", "retailer_d"] as const)(
    "are the platform %s and its default marketplace if the request names no marketplace",
    (platform) => {
      const shop = { platform, marketplace: "us" };
      expect(parsePlatform({ platform })).toEqual(shop);
      expect(parsePlatform(shop)).toEqual(shop);
    },
  );

  it("are retailer_a and us if the request names no platform", () => {
    expect(parsePlatform({})).toEqual({ platform: "retailer_a", marketplace: "us" });
  });

  it.each(["retailer_e", "retailer_f", "retailer_g"])(
    "are refused with 501 for the announced platform %s",
    (platform) => {
      expect(refusal({ platform, marketplace: "zz" })).toMatchObject({
        status: 501,
        code: "NOT_IMPLEMENTED",
        details: { comingSoon: true },
      });
    },
  );

  it.each([
    ["retailer_a", "uk"],
    ["retailer_a", "pl"],
    ["retailer_d", "ca"],
  ])(
    'are refused with 501 for the platform %s with its announced marketplace "%s"',
    (platform, marketplace) => {
      expect(refusal({ platform, marketplace })).toMatchObject({
        status: 501,
        details: { comingSoon: true },
      });
    },
  );

  it.each(["offers", "offer_check"] as const)(
    'are accepted for the endpoint "%s" on retailer_a, and refused with 501 on the other platforms',
    (id) => {
      expect(parsePlatform({}, id)).toEqual({ platform: "retailer_a", marketplace: "us" });
      for (const platform of ["retailer_b", "retailer_c", "retailer_d"]) {
        expect(() => parsePlatform({ platform }, id)).toThrow(
          expect.objectContaining({ status: 501, details: { comingSoon: true } }),
        );
      }
    },
  );

  it.each(["retailer_z", "", "RETAILER_D", "__proto__", "constructor"])(
    'are refused for the unknown platform "%s", and the error lists only live platforms',
    (platform) => {
      const error = refusal({ platform });
      expect(error).toMatchObject({ status: 400, details: { param: "platform" } });
      for (const name of Object.keys(platforms)) expect(error.message).toContain(name);
      for (const name of Object.keys(announcedPlatforms)) {
        expect(error.message).not.toContain(name);
      }
    },
  );

  it.each([
    ["retailer_d", "zz"],
    ["retailer_d", ""],
    ["retailer_d", "US"],
    ["retailer_b", "ca"],
    ["retailer_c", "uk"],
  ])(
    'are refused for the platform %s with the unknown marketplace "%s", and the error lists the valid marketplaces',
    (platform, marketplace) => {
      const error = refusal({ platform, marketplace });
      expect(error).toMatchObject({ status: 400, details: { param: "marketplace" } });
      expect(error.message).toContain(`'marketplace' of ${platform} must be us (got`);
    },
  );
});

describe("the catalog of platforms", () => {
  const entries: [string, PlatformEntry][] = Object.entries({
    ...platforms,
    ...announcedPlatforms,
  });

  it.each(entries)(
    "lists the default marketplace and the default tier of the platform %s among the valid ones",
    (_name, entry) => {
      expect(entry.marketplaces.map(({ code }) => code)).toContain(entry.defaultMarketplace);
      const tiers = entry.endpoints.find(({ id }) => id === "products")?.tiers ?? [];
      if (entry.defaultTier !== null)
        expect(tiers.map(({ id }) => id)).toContain(entry.defaultTier);
    },
  );

  it.each([
    ["retailer_a", "pulse", 0.25, 10_000],
    ["retailer_a", "lite", 1, 2_000],
    ["retailer_a", "full", 5, 2_000],
    ["retailer_b", "standard", 1, 100],
    ["retailer_c", "standard", 1, 1_000],
    ["retailer_d", "standard", 1, 1_000],
  ] as const)(
    'has the platform %s at the tier "%s" with the item price %d in credits and the maximum of %d items per call',
    (...row) => {
      const [platform, id, credits, max] = row;
      const tier = productTiers(platform).find((one) => one.id === id);
      expect(tier).toMatchObject({ costQuarters: credits * 4, itemsPerCallMax: max });
    },
  );

  it("has three tiers on retailer_a and one tier on every other platform", () => {
    const names = (platform: Platform): string[] => productTiers(platform).map(({ id }) => id);
    expect(names("retailer_a")).toEqual(["pulse", "lite", "full"]);
    expect([names("retailer_b"), names("retailer_c"), names("retailer_d")].flat()).toEqual([
      "standard",
      "standard",
      "standard",
    ]);
  });

  it("contains the currency of each marketplace", () => {
    expect(currencyOf("retailer_d", "us")).toBe("USD");
    expect(currencyOf("retailer_d", "ca")).toBe("CAD");
  });
});
