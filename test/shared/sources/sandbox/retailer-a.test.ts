import { describe, expect, it } from "vitest";
import {
  availabilityTypes,
  type RetailerAFields,
} from "../../../../shared/scrapers/product-fields.ts";
import { sandboxAnswer } from "../../../../shared/sources/sandbox/scraper.ts";
import {
  isBuyable,
  type ItemStateA,
  itemStateA,
  offerListingIdOf,
} from "../../../../shared/sources/sandbox/retailer-a.ts";

const at = new Date("2026-03-01T12:00:00.000Z");
const ids = Array.from({ length: 4_000 }, (_, n) => `B0${String(n * 13).padStart(8, "T")}`);
const moment = { seed: "test", marketplace: "us", at };
const stateOf = (id: string): ItemStateA => itemStateA({ ...moment, id });
const states = ids.map(stateOf);

const read = (tier: "pulse" | "lite" | "full", id: string): RetailerAFields | undefined => {
  const answer = sandboxAnswer({ ...moment, scraper: `retailer_a.${tier}`, id });
  return answer.status === "ok" ? (answer.fields as RetailerAFields) : undefined;
};

describe("a sandbox listing", () => {
  it("has the count and the lowest price of its offers", () => {
    for (const state of states) {
      const pricesOf = (kind: RegExp): number[] =>
        state.offers.filter(({ condition }) => kind.test(condition)).map(({ price }) => price);
      const lowest = (prices: number[]): number | null =>
        prices.length === 0 ? null : Math.min(...prices);
      expect(state.newCount).toBe(pricesOf(/^new$/).length);
      expect(state.newMinPrice).toBe(lowest(pricesOf(/^new$/)));
      expect(state.usedCount).toBe(pricesOf(/^used_/).length);
      expect(state.usedMinPrice).toBe(lowest(pricesOf(/^used_/)));
    }
  });

  it("has the buy box offer first, then the other offers by price", () => {
    for (const { buybox, offers } of states) {
      const others = buybox === null ? offers : offers.slice(1);
      if (buybox !== null) expect(offers[0]).toBe(buybox);
      const prices = others.map(({ price }) => price);
      expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    }
  });

  it("has at most one offer per seller, and offer IDs that no other offer or listing has", () => {
    const listed = states.slice(0, 500).flatMap((state) =>
      state.offers.map((offer) => ({
        seller: `${state.id} ${offer.seller.id}`,
        offerId: offerListingIdOf(state, offer),
      })),
    );
    expect(new Set(listed.map(({ seller }) => seller)).size).toBe(listed.length);
    expect(new Set(listed.map(({ offerId }) => offerId)).size).toBe(listed.length);
  });

  it("keeps the ID and the seller of an offer after the offer's price changed", () => {
    const later = new Date(at.getTime() + 6 * 60 * 60 * 1_000);
    const pairs = states.slice(0, 500).flatMap((before) => {
      const after = itemStateA({ ...moment, id: before.id, at: later });
      return before.offers.flatMap((offer) => {
        const same = after.offers.find(({ index }) => index === offer.index);
        return same === undefined ? [] : [{ before, after, offer, same }];
      });
    });
    expect(pairs.some(({ offer, same }) => offer.price !== same.price)).toBe(true);
    for (const { before, after, offer, same } of pairs) {
      expect(same.seller).toEqual(offer.seller);
      expect(offerListingIdOf(after, same)).toBe(offerListingIdOf(before, offer));
    }
  });

  it("takes each form of a real listing for at least one sandbox ID", () => {
    const shareOf = (is: (state: ItemStateA) => boolean): number =>
      states.filter(is).length / states.length;
    expect(shareOf(({ isParent }) => isParent)).toBeGreaterThan(0.01);
    expect(shareOf(({ offers }) => offers.length === 0)).toBeGreaterThan(0.04);
    expect(shareOf(({ offers, buybox }) => offers.length > 0 && buybox === null)).toBeGreaterThan(
      0.02,
    );
    expect(shareOf(({ offers }) => offers.length === 1)).toBeGreaterThan(0.2);
    expect(shareOf(({ offers }) => offers.length > 31)).toBeGreaterThan(0.005);
    expect(shareOf(({ buybox }) => buybox?.condition.startsWith("used_") === true)).toBeGreaterThan(
      0.002,
    );
    expect(shareOf(({ buybox }) => buybox !== null && !isBuyable(buybox))).toBeGreaterThan(0.005);
    expect(
      shareOf(({ buybox, newMinPrice }) => (buybox?.price ?? 0) > (newMinPrice ?? Infinity)),
    ).toBeGreaterThan(0.02);
    const types = new Set(states.map(({ buybox }) => buybox?.availabilityType));
    for (const type of availabilityTypes) expect([type, types.has(type)]).toEqual([type, true]);
  });

  it("has no offers and no buy box if the listing is a parent listing", () => {
    const parents = states.filter(({ isParent }) => isParent);
    expect(parents.length).toBeGreaterThan(0);
    for (const { offers, buybox } of parents)
      expect({ offers, buybox }).toEqual({ offers: [], buybox: null });
  });
});

describe("the tiers of a sandbox listing", () => {
  it("have the same values as the listing in the fields that they share", () => {
    let compared = 0;
    for (const id of ids.slice(0, 1_000)) {
      const state = stateOf(id);
      const [pulse, lite, full] = [read("pulse", id), read("lite", id), read("full", id)];
      if (pulse === undefined || lite === undefined || full === undefined) continue;
      compared += 1;
      const { newCount, newMinPrice } = state;
      expect(pulse).toEqual({ retailer_a: { newCount, newMinPrice } });
      expect(lite.retailer_a).toMatchObject({ newCount, newMinPrice });
      expect(full).toMatchObject(lite);
      expect(lite.price?.amount).toBe(state.buybox?.price);
      expect(lite.retailer_a.buybox?.offerListingId).toBe(
        state.buybox === null ? undefined : offerListingIdOf(state, state.buybox),
      );
      expect(full.retailer_a.isParent).toBe(state.isParent);
    }
    expect(compared).toBeGreaterThan(900);
  });

  it("have null in the fields of an empty buy box, and not undefined", () => {
    expect(read("lite", "B0SANDBOXN")).toMatchObject({
      price: null,
      seller: null,
      fulfillment: null,
      availability: { inStock: false },
      retailer_a: { buybox: null, delivery: null, newCount: 1 },
    });
  });

  it("have text, attributes and pictures at the tier full, and at no other tier", () => {
    const [lite, full] = [read("lite", "B0SANDBOX0"), read("full", "B0SANDBOX0")];
    const more = ["attributes", "isParent"];
    expect(Object.keys(full?.retailer_a ?? {})).toEqual(expect.arrayContaining(more));
    for (const key of [...more, "description"]) expect(lite?.retailer_a).not.toHaveProperty(key);
    expect(lite).not.toHaveProperty("images");
  });

  it("omit in some listings the fields that some real product pages lack", () => {
    const seen = ids.map((id) => read("full", id)).filter((one) => one !== undefined);
    const without = (has: (fields: RetailerAFields) => unknown): number =>
      seen.filter((fields) => has(fields) === undefined).length / seen.length;
    for (const has of [
      (fields: RetailerAFields) => fields.retailer_a.brand,
      (fields: RetailerAFields) => fields.retailer_a.displayCategory,
      (fields: RetailerAFields) => fields.retailer_a.rating,
      (fields: RetailerAFields) => fields.retailer_a.description,
      (fields: RetailerAFields) => fields.images,
    ]) {
      expect(without(has)).toBeGreaterThan(0.005);
      expect(without(has)).toBeLessThan(0.3);
    }
    const promises = seen.filter(({ retailer_a: { delivery } }) => delivery === null).length;
    expect(promises / seen.length).toBeGreaterThan(0.05);
  });
});

describe("a reserved sandbox listing", () => {
  it("B0SANDBOXN has offers and no buy box", () => {
    const { offers, buybox } = stateOf("B0SANDBOXN");
    expect({ count: offers.length, buybox }).toEqual({ count: 2, buybox: null });
  });

  it("B0SANDBOXP is a parent listing that cannot be bought", () => {
    expect(stateOf("B0SANDBOXP")).toMatchObject({ isParent: true, offers: [], buybox: null });
  });

  it("B0SANDBOXM has 45 offers in several conditions", () => {
    const { offers, newCount, usedCount } = stateOf("B0SANDBOXM");
    expect(offers).toHaveLength(45);
    expect(newCount).toBeGreaterThan(5);
    expect(usedCount).toBeGreaterThan(5);
    expect(newCount + usedCount).toBeLessThan(45);
  });

  it("B0SANDBOX1 always has prices in whole cents", () => {
    const prices = Array.from({ length: 5_000 }, (_, n) => {
      const then = new Date(at.getTime() + n * 10_007);
      return itemStateA({ ...moment, at: then, id: "B0SANDBOX1" }).usedMinPrice ?? 0;
    });
    expect(prices.filter((price) => price !== Number(price.toFixed(2)))).toEqual([]);
  });

  it("of a book has its ISBN-10 as ID", () => {
    const book = read("lite", "0306406152") ?? read("lite", "059652068X");
    expect(book?.retailer_a.displayCategory ?? "Books").toBe("Books");
    expect(book?.title).toContain("Field Guide");
  });
});
