import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../../scrapers/scraper.ts";
import { upstreamOfferChecker, upstreamOffers, upstreamScraper } from "../../upstream/scraper.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, upstreamParts } from "../parts.ts";
import { reportedChecker, reportedOffers, reportedScraper } from "../reported.ts";

type Options = OptionsOf<"upstream">;

/**
 * Creates a product scraper that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function scraper(
  id: ProductScraperId,
  options: Options,
  dependencies: SourceDependencies,
): Scraper {
  const { reporting, ...parts } = upstreamParts(id, options, dependencies);
  return reportedScraper(upstreamScraper(options, parts), reporting);
}

/**
 * Creates an offers scraper that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function offers(options: Options, dependencies: SourceDependencies): OfferScraper {
  const { reporting, ...parts } = upstreamParts("retailer_a.offers", options, dependencies);
  return reportedOffers(upstreamOffers(options, parts), reporting);
}

/**
 * Creates an offer checker that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function offerChecker(options: Options, dependencies: SourceDependencies): OfferChecker {
  const { reporting, ...parts } = upstreamParts("retailer_a.offer_check", options, dependencies);
  return reportedChecker(upstreamOfferChecker(options, parts), reporting);
}
