import type { OfferChecker, OfferScraper } from "../../scrapers/scraper.ts";
import type { SourceConfiguration } from "./configuration.ts";
import { adapters } from "./load-adapters.ts";
import type { SourceDependencies } from "./parts.ts";

/** The sources of the offers endpoints. Each function always returns the same instance. */
export interface OfferSources {
  readonly offerScraperFor: () => OfferScraper;
  readonly offerCheckerFor: () => OfferChecker;
}

/**
 * Creates the configured sources for offers and offer checks. The adapter of each source loads at
 * its first read.
 */
export function offerSources(
  sources: SourceConfiguration,
  dependencies: SourceDependencies,
): OfferSources {
  let loadingScraper: Promise<OfferScraper> | undefined;
  const scraper: OfferScraper = {
    async readOffers(request) {
      loadingScraper ??= createOffers(sources["retailer_a.offers"], dependencies);
      return (await loadingScraper).readOffers(request);
    },
  };
  let loadingChecker: Promise<OfferChecker> | undefined;
  const checker: OfferChecker = {
    async checkOffers(request) {
      loadingChecker ??= createChecker(sources["retailer_a.offer_check"], dependencies);
      return (await loadingChecker).checkOffers(request);
    },
  };
  return { offerScraperFor: () => scraper, offerCheckerFor: () => checker };
}

/** Loads the configured adapter, and creates its scraper of offers. */
async function createOffers(
  options: SourceConfiguration["retailer_a.offers"],
  dependencies: SourceDependencies,
): Promise<OfferScraper> {
  switch (options.adapter) {
    case "sandbox":
      return (await adapters.sandbox()).offers(options, dependencies);
    case "upstream":
      return (await adapters.upstream()).offers(options, dependencies);
    case "a_history":
      return (await adapters.a_history()).offers(options, dependencies);
    default:
      return options satisfies never;
  }
}

/** Loads the configured adapter, and creates its offer checker. */
async function createChecker(
  options: SourceConfiguration["retailer_a.offer_check"],
  dependencies: SourceDependencies,
): Promise<OfferChecker> {
  switch (options.adapter) {
    case "sandbox":
      return (await adapters.sandbox()).offerChecker(options, dependencies);
    case "upstream":
      return (await adapters.upstream()).offerChecker(options, dependencies);
    case "a_history":
      return (await adapters.a_history()).offerChecker(options, dependencies);
    default:
      return options satisfies never;
  }
}
