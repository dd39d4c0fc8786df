import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../../scrapers/scraper.ts";
import { priceHistoryOfferChecker } from "../../price-history/offer-check.ts";
import { priceHistoryOffers } from "../../price-history/offers.ts";
import { priceHistoryScraper } from "../../price-history/scraper.ts";
import type { OptionsOf } from "../configuration.ts";
import { historyParts, type SourceDependencies } from "../parts.ts";
import { reportedChecker, reportedOffers, reportedScraper } from "../reported.ts";

type Options = OptionsOf<"a_history">;

/** Creates a scraper that reads the price history API. */
export function scraper(
  id: ProductScraperId,
  options: Options,
  dependencies: SourceDependencies,
): Scraper {
  const { reporting, ...parts } = historyParts(id, options, dependencies);
  return reportedScraper(priceHistoryScraper(options, parts), reporting);
}

/** Creates a scraper that reads offers from the price history API. */
export function offers(options: Options, dependencies: SourceDependencies): OfferScraper {
  const { reporting, ...parts } = historyParts("retailer_a.offers", options, dependencies);
  return reportedOffers(priceHistoryOffers(options, parts), reporting);
}

/** Creates an offer checker that reads the price history API. */
export function offerChecker(options: Options, dependencies: SourceDependencies): OfferChecker {
  const { reporting, ...parts } = historyParts("retailer_a.offer_check", options, dependencies);
  return reportedChecker(priceHistoryOfferChecker(options, parts), reporting);
}
