import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import { type ProductScraperId, scrapers } from "../../../../shared/scrapers/catalog.ts";
import { scraperIds } from "../../../support/scraper-ids.ts";
import { statusOfFound, pulseStatus } from "../../../../shared/scrapers/product-fields.ts";
import { delistingIds, reservedIds } from "../../../../shared/scrapers/reserved-ids.ts";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import { snapshotOf } from "../../../../shared/scrapers/snapshot.ts";
import { sandboxScraper, sandboxAnswer } from "../../../../shared/sources/sandbox/scraper.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import { fixedClock } from "../../../support/clock.ts";

const seed = "test";
const noon = "2026-03-01T12:00:00.000Z";
const read = (scraper: ProductScraperId, id: string, time = noon): Answer =>
  sandboxAnswer({ scraper, marketplace: "us", id, at: new Date(time), seed });

const numbers = Array.from({ length: 3_000 }, (_, n) => String(6_000_000 + n * 7));
const asins = numbers.map((id) => `B0${id.padStart(8, "K")}`);
const idsOf = (scraper: ProductScraperId): readonly string[] =>
  scrapers[scraper].platform === "retailer_a" ? asins : numbers;
const reserved = (scraper: ProductScraperId, behavior: string): string => {
  const found = reservedIds[scrapers[scraper].platform].find((one) => one.behavior === behavior);
  if (found === undefined) throw new Error(`No ID has the behavior ${behavior}`);
  return found.id;
};

const share = (answers: readonly Answer[], status: string): number =>
  answers.filter((answer) => answer.status === status).length / answers.length;
const snapshot = (scraper: ProductScraperId, answer: Answer): Record<string, unknown> =>
  "fields" in answer ? { ...snapshotOf(scraper, answer.fields) } : {};
const priceKey = (scraper: ProductScraperId): string =>
  scraper === "retailer_a.pulse" ? "newMinPrice" : "price";

describe.each(scraperIds)("with the scraper %s,", (scraper) => {
  scraperContract("sandbox", async () => ({
    scraper: sandboxScraper({ seed, clock: systemClock }),
    scraperId: scraper,
    marketplace: "us",
    ids: {
      ok: ["steady", "price_changes_every_read", "sold_out"].map((one) => reserved(scraper, one)),
      partial: [reserved(scraper, "always_partial")],
      not_found: [reserved(scraper, "always_not_found")],
      unavailable: [reserved(scraper, "always_unavailable")],
    },
    slowId: reserved(scraper, "slow"),
    stop: async () => {},
  }));

  describe("the sandbox, for any ID,", () => {
    const ids = idsOf(scraper);
    const answers = ids.map((id) => read(scraper, id));

    it("returns the same answer for the same ID, time and seed", () => {
      expect(ids.slice(0, 200).map((id) => read(scraper, id))).toEqual(answers.slice(0, 200));
    });

    it("returns different answers with another seed", () => {
      const at = new Date(noon);
      const others = ids.map((id) =>
        sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "other" }),
      );
      expect(others).not.toEqual(answers);
    });

    it("returns complete items for most IDs, and every kind of failure for some IDs", () => {
      expect(share(answers, "ok")).toBeGreaterThan(0.94);
      expect(share(answers, "not_found")).toBeGreaterThan(0.01);
      expect(share(answers, "partial")).toBeGreaterThan(0.004);
      expect(share(answers, "unavailable")).toBeGreaterThan(0.004);
    });

    it('returns "partial" exactly if a field that a complete answer must have is missing', () => {
      const rule = scraper === "retailer_a.pulse" ? pulseStatus : statusOfFound;
      for (const answer of answers) {
        if ("fields" in answer) expect(rule(answer.fields as never)).toBe(answer.status);
      }
    });

    it('returns "not_found" for the same item IDs at any time', () => {
      const missing = (time: string): string[] =>
        ids.filter((id) => read(scraper, id, time).status === "not_found");
      expect(missing("2026-09-09T09:09:09.000Z")).toEqual(missing(noon));
    });

    it("changes some items within a day, but not all", () => {
      const later = "2026-03-02T12:00:00.000Z";
      const { trackedFields } = scrapers[scraper];
      const tracked = (answer: Answer): unknown[] =>
        trackedFields.map((field) => snapshot(scraper, answer)[field]);
      const moved = ids.filter(
        (id, n) =>
          JSON.stringify(tracked(read(scraper, id, later))) !==
          JSON.stringify(tracked(answers[n] as Answer)),
      );
      expect(moved.length / ids.length).toBeGreaterThan(0.15);
      expect(moved.length / ids.length).toBeLessThan(0.95);
    });

    it('returns "ok" later for most items whose read failed', () => {
      const failed = answers.filter(({ status }) => status === "unavailable");
      const later = failed.map(({ id }) => read(scraper, id, "2026-03-01T12:30:00.000Z"));
      expect(share(later, "ok")).toBeGreaterThan(0.5);
    });

    it("returns every tracked and testable field of most items", () => {
      const { trackedFields, testableFields } = scrapers[scraper];
      const seen = answers
        .filter(({ status }) => status === "ok")
        .map((one) => snapshot(scraper, one));
      for (const field of [...trackedFields, ...testableFields]) {
        const shown = seen.filter((one) => one[field] !== undefined).length;
        expect([field, shown / seen.length > 0.7]).toEqual([field, true]);
      }
    });
  });

  describe("the sandbox, for a reserved ID,", () => {
    const at = (behavior: string, time: string): Answer =>
      read(scraper, reserved(scraper, behavior), time);
    const oddMinute = "2026-03-01T12:01:00.000Z";

    it("returns the same tracked fields at any time if the ID has stable data", () => {
      const { trackedFields } = scrapers[scraper];
      const [first, later] = [noon, "2027-01-01T00:00:01.234Z"].map((time) =>
        trackedFields.map((field) => snapshot(scraper, at("steady", time))[field]),
      );
      expect(first).not.toContain(undefined);
      expect(later).toEqual(first);
    });

    it.each(["12:00:00.001Z", "12:05:00.000Z", "13:00:00.000Z"])(
      "returns at the time %s another price than at noon if the ID has a changing price",
      (time) => {
        const priceAt = (when: string): unknown =>
          snapshot(scraper, at("price_changes_every_read", when))[priceKey(scraper)];
        expect(priceAt(noon)).toEqual(expect.any(Number));
        expect(priceAt(`2026-03-01T${time}`)).not.toEqual(priceAt(noon));
      },
    );

    it("returns an item in stock only in even minutes if the ID has changing stock", () => {
      const stockAt = (when: string): unknown => {
        const seen = snapshot(scraper, at("stock_comes_and_goes", when));
        return scraper === "retailer_a.pulse" ? Number(seen["newCount"]) > 0 : seen["inStock"];
      };
      expect(stockAt(noon)).toBe(true);
      expect(stockAt(oddMinute)).toBe(false);
    });

    it('returns "ok" only in even minutes if the ID has changing existence', () => {
      expect(at("comes_and_goes", noon).status).toBe("ok");
      expect(at("comes_and_goes", oddMinute).status).toBe("not_found");
    });

    it('returns "ok" until the Unix time that the ID contains, and "not_found" after this time', () => {
      const digits = String(Date.parse(noon) / 1_000).slice(-8);
      const id = `${scrapers[scraper].platform === "retailer_a" ? "BX" : "90"}${digits}`;
      expect(id).toMatch(delistingIds[scrapers[scraper].platform].pattern);
      expect(read(scraper, id, "2026-03-01T11:59:59.999Z").status).toBe("ok");
      expect(read(scraper, id, noon).status).toBe("not_found");
      expect(read(scraper, id, "2027-03-01T12:00:00.000Z").status).toBe("not_found");
    });

    it('returns "ok" for a slow ID if the deadline leaves enough time', async () => {
      const [answer] = await sandboxScraper({ seed, clock: fixedClock(noon) }).read({
        scraper,
        marketplace: "us",
        ids: [reserved(scraper, "slow")],
        deadline: new Date(Date.parse(noon) + 10_000),
      });
      expect(answer?.status).toBe("ok");
    });
  });
});

describe("the reserved sandbox IDs", () => {
  it.each(["retailer_a", "retailer_b", "retailer_c", "retailer_d"] as const)(
    "of the platform %s occur once each, in the form of this platform's IDs",
    (platform) => {
      const ids = reservedIds[platform].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const form = platform === "retailer_a" ? /^B0SANDBOX[0-9A-Z]$/ : /^900000\d$/;
      for (const id of ids) expect(id).toMatch(form);
    },
  );

  it("cause the same behavior on every platform if they have the same number", () => {
    const common = (platform: keyof typeof reservedIds): string[] =>
      reservedIds[platform]
        .filter(({ id }) => /[0-8]$/.test(id))
        .map(({ id, behavior }) => `${id.slice(-1)} ${behavior}`);
    expect(common("retailer_a")).toHaveLength(9);
    for (const platform of ["retailer_b", "retailer_c", "retailer_d"] as const) {
      expect(common(platform)).toEqual(common("retailer_a"));
    }
  });

  it("include 9000009 of retailer_c, a variation parent whose 'tcin' is the ID of another item", () => {
    const answer = read("retailer_c.standard", "9000009");
    expect(answer).toMatchObject({ id: "9000009", fields: { retailer_c: { tcin: "9000000" } } });
  });
});
