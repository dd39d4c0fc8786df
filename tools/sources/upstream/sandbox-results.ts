import * as v from "valibot";
import { systemClock } from "../../../shared/base/system.ts";
import type { StepScraperId } from "../../../shared/scrapers/catalog.ts";
import type { Answer, OfferCheckAnswer, OffersAnswer } from "../../../shared/scrapers/scraper.ts";
import { sandboxScraper } from "../../../shared/sources/sandbox/scraper.ts";
import { sandboxOfferChecker, sandboxOffers } from "../../../shared/sources/sandbox/offers.ts";
import { isProductScraper } from "../../../shared/sources/upstream/contract.ts";

/** A result for one item, in the format of the contract. */
export interface UpstreamResult {
  readonly id: string;
  readonly asin?: string;
  readonly status: string;
  readonly fetchedAt: string;
  readonly data?: unknown;
}

/**
 * The members of a request body that the sandbox uses. An earlier check has found the body valid
 * for the requested scraper.
 */
const request = v.object({
  marketplace: v.string(),
  deadline_ms: v.number(),
  ids: v.optional(v.array(v.string()), []),
  offers: v.optional(v.array(v.object({ asin: v.string(), offerListingId: v.string() })), []),
});

const shop = { seed: "sandbox", clock: systemClock };
const source = sandboxScraper(shop);
const offerSource = sandboxOffers(shop);
const checker = sandboxOfferChecker(shop);

/**
 * Returns the results of the sandbox for a request. In your own server, read your data here.
 * @param body the parsed body of `POST /read`, which is valid for the scraper
 */
export async function sandboxResults(
  scraper: StepScraperId,
  body: unknown,
): Promise<UpstreamResult[]> {
  const { marketplace, deadline_ms: deadlineMs, ...asked } = v.parse(request, body);
  const deadline = new Date(Date.now() + deadlineMs);
  const ids = [...new Set(asked.ids)];
  if (isProductScraper(scraper)) {
    return (await source.read({ scraper, marketplace, ids, deadline })).map(ofProduct);
  }
  if (scraper === "retailer_a.offers") {
    return (await offerSource.readOffers({ marketplace, ids, deadline })).map(ofListing);
  }
  const { offers } = asked;
  return (await checker.checkOffers({ marketplace, offers, deadline })).map(ofOffer);
}

function ofProduct(answer: Answer): UpstreamResult {
  if (!("fields" in answer)) return answer;
  const { fields: data, ...head } = answer;
  return { ...head, data };
}

function ofListing(answer: OffersAnswer): UpstreamResult {
  if (answer.status !== "ok") return answer;
  const { totalOffers, offers, ...head } = answer;
  return { ...head, data: { totalOffers, offers } };
}

function ofOffer({ offerListingId: id, ...answer }: OfferCheckAnswer): UpstreamResult {
  if (answer.status !== "ok") return { id, ...answer };
  const { buyable, ...head } = answer;
  return { id, ...head, data: { buyable } };
}
