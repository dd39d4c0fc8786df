import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { platformsResponse, presentPlatforms } from "../../../shared/platforms/present-platform.ts";
import { noHealth } from "../../support/no-health.ts";

const { data } = presentPlatforms(noHealth);
const recordOf = (id: string): (typeof data)[number] => {
  const found = data.find((one) => one.id === id);
  if (found === undefined) throw new Error(`No ${id}`);
  return found;
};

describe("the list of platforms", () => {
  it("contains the live and the announced platforms", () => {
    expect(data.map(({ id, status }) => [id, status])).toEqual([
      ["retailer_a", "live"],
      ["retailer_b", "live"],
      ["retailer_c", "live"],
      ["retailer_d", "live"],
      ["retailer_e", "coming_soon"],
      ["retailer_f", "coming_soon"],
      ["retailer_g", "coming_soon"],
    ]);
  });

  it("has exactly the fields of its schema", () => {
    const presented = presentPlatforms(noHealth);
    expect(v.parse(platformsResponse, presented)).toEqual(presented);
  });

  it("contains every field of the platform retailer_d", () => {
    expect(recordOf("retailer_d")).toEqual({
      id: "retailer_d",
      object: "platform",
      name: "Retailer D",
      status: "live",
      id_field: "ids",
      id_name: "SKU",
      id_pattern: "^([0-9]{5,10})$",
      default_marketplace: "us",
      endpoints: [
        {
          id: "products",
          name: "Products",
          route: "POST /v1/products",
          status: "live",
          tiers: [
            {
              id: "standard",
              name: "Standard",
              credits_per_item: 1,
              max_items_per_call: 1_000,
              health: noHealth("retailer_d", { endpoint: "products", tier: "standard" }),
            },
          ],
        },
        {
          id: "offers",
          name: "Offers",
          route: "POST /v1/offers",
          status: "coming_soon",
          tiers: [],
        },
        {
          id: "offer_check",
          name: "Offer check",
          route: "POST /v1/offers/check",
          status: "coming_soon",
          tiers: [],
        },
      ],
      marketplaces: [
        {
          code: "us",
          name: "United States",
          country: "US",
          currency: "USD",
          status: "live",
          endpoints: { products: "live", offers: "coming_soon", offer_check: "coming_soon" },
        },
        {
          code: "ca",
          name: "Canada",
          country: "CA",
          currency: "CAD",
          status: "coming_soon",
          endpoints: { products: "coming_soon", offers: "coming_soon", offer_check: "coming_soon" },
        },
      ],
    });
  });

  it("contains patterns of item IDs, and the group of each pattern captures the ID", () => {
    const idIn = (platform: string, text: string): string | undefined =>
      new RegExp(recordOf(platform).id_pattern ?? "").exec(text)?.[1];
    expect(idIn("retailer_c", "A-12345678")).toBe("12345678");
    expect(idIn("retailer_a", "b0sandbox0")).toBe("b0sandbox0");
    expect(idIn("retailer_b", "1234")).toBeUndefined();
    expect(recordOf("retailer_e").id_pattern).toBeNull();
  });

  it("contains the price in credits of every live endpoint of retailer_a", () => {
    const { endpoints, id_field: field } = recordOf("retailer_a");
    const rows = endpoints.flatMap(({ id, tiers }) =>
      tiers.map((tier) => [id, tier.id, tier.credits_per_item, tier.max_items_per_call]),
    );
    expect(field).toBe("asins");
    expect(rows).toEqual([
      ["products", "pulse", 0.25, 10_000],
      ["products", "lite", 1, 2_000],
      ["products", "full", 5, 2_000],
      ["offers", "single", 1, 100],
      ["offers", "multiple", 3, 100],
      ["offer_check", "standard", 0.5, 2_000],
    ]);
  });

  it("contains the fourteen announced marketplaces of retailer_a with their currencies", () => {
    const { marketplaces } = recordOf("retailer_a");
    const soon = marketplaces.filter(({ status }) => status === "coming_soon");
    expect(soon.map(({ code, currency }) => `${code} ${currency}`)).toEqual([
      "uk GBP",
      "de EUR",
      "fr EUR",
      "it EUR",
      "es EUR",
      "ca CAD",
      "mx MXN",
      "jp JPY",
      "au AUD",
      "in INR",
      "br BRL",
      "nl EUR",
      "se SEK",
      "pl PLN",
    ]);
    for (const { endpoints } of soon) {
      expect(new Set(Object.values(endpoints))).toEqual(new Set(["coming_soon"]));
    }
  });

  it('contains live offers endpoints only for retailer_a in the marketplace "us"', () => {
    const live = data.flatMap(({ id, marketplaces }) =>
      marketplaces
        .filter(({ endpoints }) => endpoints["offers"] === "live")
        .map(({ code }) => `${id} ${code}`),
    );
    expect(live).toEqual(["retailer_a us"]);
  });
});
