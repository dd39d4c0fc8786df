import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProductScraperId } from "../../shared/scrapers/catalog.ts";
import {
  statusOfFound,
  productFieldNames,
  productFieldSchemas,
  pulseStatus,
} from "../../shared/scrapers/product-fields.ts";
import type { Answer, ReadStatus, Scraper } from "../../shared/scrapers/scraper.ts";
import { brandedKeysIn } from "./output-keys.ts";
import { readAnswersContract } from "./read-answers.contract.ts";

/** A scraper, and a source that chooses its behavior by the ID of the item. */
export interface ScraperSubject {
  readonly scraper: Scraper;
  readonly scraperId: ProductScraperId;
  readonly marketplace: string;
  /** IDs by the status that the answers for them must have. */
  readonly ids: Readonly<Record<ReadStatus, readonly string[]>>;
  /** The ID of an item about which the source responds only after 300 ms or more, or never. */
  readonly slowId: string;
  stop(): Promise<void>;
}

const fieldsSchema = v.object(productFieldSchemas);

/**
 * Registers the tests that every adapter of the scraper port must pass. All tests share the subject
 * that `start` returns.
 */
export function scraperContract(name: string, start: () => Promise<ScraperSubject>): void {
  describe(`the adapter '${name}'`, () => {
    let subject: ScraperSubject;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.stop());

    const read = async (ids: readonly string[], withinMs = 30_000): Promise<readonly Answer[]> =>
      subject.scraper.read({
        scraper: subject.scraperId,
        marketplace: subject.marketplace,
        ids,
        deadline: new Date(Date.now() + withinMs),
      });

    readAnswersContract(() => subject, read);

    it.each(["ok", "partial", "not_found", "unavailable"] as const)(
      "returns the status '%s' for each sample item that has this status at its source",
      async (status) => {
        const ids = subject.ids[status];
        expect(ids.length).toBeGreaterThan(0);
        // Each call reads one item, so that no answer depends on another item.
        const answers = await Promise.all(ids.map(async (id) => (await read([id]))[0]));
        expect(answers.map((answer) => answer?.status)).toEqual(ids.map(() => status));
      },
    );

    it("returns only the fields of its tier, with values that match the schema and prices in the marketplace's currency", async () => {
      const answers = await read([...subject.ids.ok, ...subject.ids.partial]);
      for (const answer of answers) {
        if (!("fields" in answer)) throw new Error(`${answer.id} was not found`);
        expect(productFieldNames[subject.scraperId]).toEqual(
          expect.arrayContaining(Object.keys(answer.fields)),
        );
        const known = v.parse(fieldsSchema, answer.fields);
        expect(known).toEqual(answer.fields);
        expect(["USD", undefined]).toContain(known.price?.currency);
        expect(known.price?.amount ?? 0).toBeGreaterThanOrEqual(0);
        expect(answer.status).toBe(
          subject.scraperId === "retailer_a.pulse"
            ? pulseStatus(answer.fields as never)
            : statusOfFound(answer.fields as never),
        );
      }
    });

    it("returns no field outside the schema at any depth, and uses no brand name in a field name", async () => {
      const answers = await read(Object.values(subject.ids).flat());
      const found = answers.flatMap((answer) => ("fields" in answer ? [answer.fields] : []));
      expect(found.length).toBeGreaterThan(0);
      // The schema drops unknown keys, so equality proves that there are none.
      expect(found).toEqual(found.map((fields) => v.parse(fieldsSchema, fields)));
      expect(brandedKeysIn(answers)).toEqual([]);
    });

    it("returns no fields for an item with the status 'not_found' or 'unavailable'", async () => {
      const answers = await read([...subject.ids.not_found, ...subject.ids.unavailable]);
      for (const answer of answers) {
        expect(Object.keys(answer).toSorted()).toEqual(["fetchedAt", "id", "status"]);
      }
    });
  });
}
