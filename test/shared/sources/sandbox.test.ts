import { describe, expect, it } from "vitest";
import { systemClock } from "../../../shared/base/system.ts";
import { foundStatus } from "../../../shared/scrapers/product-fields.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import { sandbox, sandboxAnswer } from "../../../shared/sources/sandbox.ts";
import { delistingIds, reservedIds } from "../../../shared/sources/sandbox-script.ts";
import { scraperContract } from "../../contracts/scraper.contract.ts";
import { fixedClock } from "../../support/clock.ts";

const seed = "test";
const noon = "2026-03-01T12:00:00.000Z";
const at = (time: string, id: string, seedOf = seed): Answer =>
  sandboxAnswer({
    scraper: "retailer_d.standard",
    marketplace: "us",
    id,
    at: new Date(time),
    seed: seedOf,
  });
const ids = Array.from({ length: 5_000 }, (_, n) => String(6_000_000 + n * 7));
const share = (answers: readonly Answer[], status: string): number =>
  answers.filter((answer) => answer.status === status).length / answers.length;
const priceOf = (answer: Answer): unknown => ("fields" in answer ? answer.fields["price"] : null);
const stockOf = (answer: Answer): unknown =>
  "fields" in answer ? answer.fields["availability"] : null;

scraperContract("sandbox", async () => ({
  scraper: sandbox({ seed, clock: systemClock }),
  scraperId: "retailer_d.standard",
  marketplace: "us",
  ids: {
    ok: ["9000000", "9000001", "9000003"],
    partial: ["9000005"],
    not_found: ["9000007"],
    unavailable: ["9000006"],
  },
  slowId: "9000008",
  stop: async () => {},
}));

describe("the invented catalogue", () => {
  it("answers the same for the same id, time and seed", () => {
    for (const id of ids.slice(0, 200)) expect(at(noon, id)).toEqual(at(noon, id));
  });

  it("is another catalogue with another seed", () => {
    expect(ids.map((id) => at(noon, id))).not.toEqual(ids.map((id) => at(noon, id, "other")));
  });

  it("answers most ids in full, and each way to fail now and then", () => {
    const answers = ids.map((id) => at(noon, id));
    expect(share(answers, "ok")).toBeGreaterThan(0.94);
    expect(share(answers, "not_found")).toBeGreaterThan(0.01);
    expect(share(answers, "partial")).toBeGreaterThan(0.005);
    expect(share(answers, "unavailable")).toBeGreaterThan(0.005);
  });

  it("is partial exactly when a promised field is missing", () => {
    for (const answer of ids.map((id) => at(noon, id))) {
      if ("fields" in answer) expect(foundStatus(answer.fields as never)).toBe(answer.status);
    }
  });

  it("finds the same items at all times", () => {
    const missing = (time: string): string[] =>
      ids.filter((id) => at(time, id).status === "not_found");
    expect(missing("2026-09-09T09:09:09.000Z")).toEqual(missing(noon));
  });

  it("moves some prices and some stock within a day, and most of them not", () => {
    const later = "2026-03-02T12:00:00.000Z";
    const moved = (of: (answer: Answer) => unknown): number =>
      ids.filter((id) => JSON.stringify(of(at(noon, id))) !== JSON.stringify(of(at(later, id))))
        .length / ids.length;
    expect(moved(priceOf)).toBeGreaterThan(0.1);
    expect(moved(priceOf)).toBeLessThan(0.5);
    expect(moved(stockOf)).toBeGreaterThan(0.05);
    expect(moved(stockOf)).toBeLessThan(0.3);
  });

  it("lets a failed read succeed later", () => {
    const failed = ids.filter((id) => at(noon, id).status === "unavailable");
    const later = failed.map((id) => at("2026-03-01T12:30:00.000Z", id));
    expect(share(later, "ok")).toBeGreaterThan(0.5);
  });
});

describe("reserved ids", () => {
  it("do what their table says", () => {
    expect(reservedIds.map(({ behaviour }) => behaviour).toSorted()).toEqual([
      "always_not_found",
      "always_partial",
      "always_unavailable",
      "comes_and_goes",
      "price_changes_every_read",
      "slow",
      "sold_out",
      "steady",
      "stock_comes_and_goes",
    ]);
  });

  it("9000000 never changes", () => {
    const { fetchedAt: _first, ...first } = at(noon, "9000000");
    const { fetchedAt: _later, ...later } = at("2027-01-01T00:00:01.234Z", "9000000");
    expect(later).toEqual(first);
  });

  it.each(["12:00:00.001Z", "12:05:00.000Z", "13:00:00.000Z"])(
    "9000001 has another price at %s",
    (time) => {
      expect(priceOf(at(`2026-03-01T${time}`, "9000001"))).not.toEqual(
        priceOf(at(noon, "9000001")),
      );
    },
  );

  it("9000002 is in stock in even minutes only", () => {
    expect(stockOf(at(noon, "9000002"))).toMatchObject({ inStock: true });
    expect(stockOf(at("2026-03-01T12:01:00.000Z", "9000002"))).toMatchObject({ inStock: false });
  });

  it("9000004 is found in even minutes only", () => {
    expect(at(noon, "9000004").status).toBe("ok");
    expect(at("2026-03-01T12:01:00.000Z", "9000004").status).toBe("not_found");
  });

  it("an id made of a Unix time is found until then", () => {
    const seconds = Date.parse(noon) / 1_000;
    const id = `90${String(seconds).slice(-8)}`;
    expect(id).toMatch(delistingIds.pattern);
    expect(at("2026-03-01T11:59:59.999Z", id).status).toBe("ok");
    expect(at(noon, id).status).toBe("not_found");
    expect(at("2027-03-01T12:00:00.000Z", id).status).toBe("not_found");
  });

  it("9000008 is read in the end when there is time", async () => {
    const clock = fixedClock(noon);
    const [answer] = await sandbox({ seed, clock }).read({
      scraper: "retailer_d.standard",
      marketplace: "us",
      ids: ["9000008"],
      deadline: new Date(Date.parse(noon) + 10_000),
    });
    expect(answer?.status).toBe("ok");
  });
});
