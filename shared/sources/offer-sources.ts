import type { OfferChecker, OfferScraper } from "../scrapers/scraper.ts";
import type { SourceConfiguration, SourceDependencies } from "./configuration.ts";
import { sandboxOfferChecker, sandboxOffers } from "./sandbox-offers.ts";

/** The sources behind the offers endpoints, made once. */
export interface OfferSources {
  readonly offerScraperFor: () => OfferScraper;
  readonly offerCheckerFor: () => OfferChecker;
}

/** The sources of offers and of offer checks that the configuration names. */
export function offerSources(
  sources: SourceConfiguration,
  { clock }: SourceDependencies,
): OfferSources {
  const scraper = sandboxOffers({ seed: sources["retailer_a.offers"].seed, clock });
  const checker = sandboxOfferChecker({ seed: sources["retailer_a.offer_check"].seed, clock });
  return { offerScraperFor: () => scraper, offerCheckerFor: () => checker };
}
