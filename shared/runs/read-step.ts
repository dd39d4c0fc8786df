import { offerCheckQuarters, quartersFor } from "../items/offer-prices.ts";
import type { Step } from "../pipelines/definition.ts";
import {
  type ProductScraperId,
  type ScraperId,
  scrapers,
  type Snapshot,
} from "../scrapers/catalog.ts";
import { isOfferListingId } from "../scrapers/offer.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OfferChecker,
  OffersAnswer,
  OfferScraper,
  ReadStatus,
  Scraper,
} from "../scrapers/scraper.ts";
import {
  buyboxOfferOf,
  snapshotOf,
  snapshotOfOfferCheck,
  snapshotOfOffers,
} from "../scrapers/snapshot.ts";

import type { ProductFacts } from "../watchlists/item-details.ts";
import { factsOfOffers, factsOfProduct } from "./product-facts.ts";

/** The sources of all scrapers that a step can use. */
export interface StepSources {
  readonly scraperFor: (scraper: ScraperId) => Scraper;
  readonly offerScraperFor: () => OfferScraper;
  readonly offerCheckerFor: () => OfferChecker;
}

/**
 * The items to read at a step. `buyboxOfferId` is the last known offer in the buy box; null if
 * unknown.
 */
export interface StepReadRequest {
  readonly step: Step;
  readonly marketplace: string;
  readonly items: readonly { readonly id: string; readonly buyboxOfferId: string | null }[];
  /** Time at which reading must end. */
  readonly deadline: Date;
}

/**
 * Reads items with the scraper of a step. Returns at most one answer for each item, in the order of
 * the request.
 */
export type StepReader = (request: StepReadRequest) => Promise<readonly StepAnswer[]>;

/** The answer for one item of a step. */
export interface StepAnswer {
  readonly id: string;
  readonly status: ReadStatus;
  /** Time at which the source read the item, ISO 8601. */
  readonly fetchedAt: string;
  /** Price of the answer in quarter-credits; 0 if it is not charged. */
  readonly quarters: number;
  /** The fields read; null unless `status` is `ok`. */
  readonly observed: Snapshot | null;
  /**
   * ID of the offer in the buy box; null if the buy box is empty; absent if the scraper does not
   * read it.
   */
  readonly buyboxOfferId?: string | null;
  /** Facts about the item that are not fields, such as its title; absent if there are none. */
  readonly facts?: ProductFacts;
}

/**
 * Reads items with the scraper of a step. Returns one answer for each item, in the order of the
 * request. Exception: an `offer_check` step has no answer for an item without a known buy-box
 * offer. An answer costs the same as in an item call with that scraper.
 */
export async function readStep(
  request: StepReadRequest,
  sources: StepSources,
): Promise<readonly StepAnswer[]> {
  const { scraper } = request.step;
  if (scraper === "retailer_a.offers") return readOffers(request, sources);
  if (scraper === "retailer_a.offer_check") return checkOffers(request, sources);
  return readProductItems(scraper, request, sources);
}

async function readProductItems(
  scraper: ProductScraperId,
  { marketplace, items, deadline }: StepReadRequest,
  { scraperFor }: StepSources,
): Promise<readonly StepAnswer[]> {
  const ids = items.map(({ id }) => id);
  const answers = await scraperFor(scraper).read({ scraper, marketplace, ids, deadline });
  return answers.map((answer) => productAnswer(scraper, answer));
}

function productAnswer(scraper: ProductScraperId, answer: Answer): StepAnswer {
  const { id, status, fetchedAt } = answer;
  const isAnswered = status === "ok" || status === "not_found";
  const quarters = isAnswered ? scrapers[scraper].costQuarters : 0;
  if (status !== "ok") return { id, status, fetchedAt, quarters, observed: null };
  const observed = snapshotOf(scraper, answer.fields);
  const offer = observed["offerListingId"];
  const isShown = typeof offer === "string" || offer === null;
  return {
    id,
    status,
    fetchedAt,
    quarters,
    observed,
    ...(isShown && { buyboxOfferId: offer }),
    ...withFacts(factsOfProduct(answer.fields)),
  };
}

async function readOffers(
  { step, marketplace, items, deadline }: StepReadRequest,
  { offerScraperFor }: StepSources,
): Promise<readonly StepAnswer[]> {
  const ids = items.map(({ id }) => id);
  const answers = await offerScraperFor().readOffers({ marketplace, ids, deadline });
  return answers.map((answer) => offersAnswer(answer, step.condition ?? "all"));
}

function offersAnswer(answer: OffersAnswer, condition: NonNullable<Step["condition"]>): StepAnswer {
  const { id, status, fetchedAt } = answer;
  const head = { id, status, fetchedAt, quarters: quartersFor(answer) };
  if (status !== "ok") return { ...head, observed: null };
  return {
    ...head,
    observed: snapshotOfOffers(answer, condition),
    buyboxOfferId: buyboxOfferOf(answer),
    ...withFacts(factsOfOffers(answer)),
  };
}

const withFacts = (facts: ProductFacts | undefined): Pick<StepAnswer, "facts"> =>
  facts === undefined ? {} : { facts };

async function checkOffers(
  { marketplace, items, deadline }: StepReadRequest,
  { offerCheckerFor }: StepSources,
): Promise<readonly StepAnswer[]> {
  const offers = items.flatMap(({ id, buyboxOfferId }) =>
    buyboxOfferId !== null && isOfferListingId(buyboxOfferId)
      ? [{ asin: id, offerListingId: buyboxOfferId }]
      : [],
  );
  if (offers.length === 0) return [];
  const answers = await offerCheckerFor().checkOffers({ marketplace, offers, deadline });
  return answers.map(checkAnswer);
}

function checkAnswer(answer: OfferCheckAnswer): StepAnswer {
  const head = { id: answer.asin, status: answer.status, fetchedAt: answer.fetchedAt };
  return answer.status === "ok"
    ? { ...head, quarters: offerCheckQuarters, observed: snapshotOfOfferCheck(answer) }
    : { ...head, quarters: 0, observed: null };
}
