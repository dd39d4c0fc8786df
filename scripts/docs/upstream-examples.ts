import {
  type ProductScraperId,
  type ScraperEntry,
  scrapers,
  type StepScraperId,
} from "../../shared/scrapers/catalog.ts";
import { reservedIds } from "../../shared/scrapers/reserved-ids.ts";
import { sandboxAnswer } from "../../shared/sources/sandbox/scraper.ts";
import { isProductScraper } from "../../shared/sources/upstream/contract.ts";

/** The bodies of an example call and of its reply. */
export interface UpstreamExample {
  readonly request: object;
  readonly reply: object;
}

const at = new Date("2026-03-01T12:00:00Z");
const fetchedAt = at.toISOString();
const head = { marketplace: "us", deadline_ms: 15_000 };
const offerListingId = "k9Xv2Lq7%2FbT4%3D";

/**
 * Returns an example call of a scraper with its reply. The reply has one result with data, and one
 * without: an item that was not found, or an offer that could not be checked.
 */
export function upstreamExample(scraper: StepScraperId): UpstreamExample {
  if (isProductScraper(scraper)) return productExample(scraper);
  return scraper === "retailer_a.offers" ? offersExample : offerCheckExample;
}

function productExample(scraper: ProductScraperId): UpstreamExample {
  const { platform }: ScraperEntry = scrapers[scraper];
  const ids = reservedIds[platform]
    .filter(({ behavior }) => behavior === "steady" || behavior === "always_not_found")
    .map(({ id }) => id);
  const results = ids.map((id) => {
    const answer = sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "sandbox" });
    const { status } = answer;
    return "fields" in answer
      ? { id, status, fetchedAt, data: answer.fields }
      : { id, status, fetchedAt };
  });
  return { request: { scraper, ...head, ids }, reply: { results } };
}

const offersExample: UpstreamExample = {
  request: {
    scraper: "retailer_a.offers",
    ...head,
    ids: ["B0SANDBOX0", "B0SANDBOX7"],
    condition: "all",
  },
  reply: {
    results: [
      {
        id: "B0SANDBOX0",
        status: "ok",
        fetchedAt,
        data: {
          totalOffers: 1,
          offers: [
            {
              offerListingId,
              price: 99.99,
              currency: "USD",
              priceDisplay: "$99.99",
              shipping: 0,
              condition: "new",
              seller: { id: "S1", name: "Corner Shop", rating: 4.8, ratingCount: 1_204 },
              fulfillment: { isFba: false, fulfillerName: "Corner Shop" },
              isBuybox: true,
              availability: "In Stock",
              delivery: "FREE delivery Tuesday, March 3",
            },
          ],
        },
      },
      { id: "B0SANDBOX7", status: "not_found", fetchedAt },
    ],
  },
};

const offerCheckExample: UpstreamExample = {
  request: {
    scraper: "retailer_a.offer_check",
    ...head,
    offers: [
      { asin: "B0SANDBOX0", offerListingId },
      { asin: "B0SANDBOX6", offerListingId: "p3Ws8%2Fz" },
    ],
  },
  reply: {
    results: [
      { id: offerListingId, asin: "B0SANDBOX0", status: "ok", fetchedAt, data: { buyable: true } },
      { id: "p3Ws8%2Fz", asin: "B0SANDBOX6", status: "unavailable", fetchedAt },
    ],
  },
};
