import type { OfferChecker, OfferScraper } from "../../scrapers/scraper.ts";
import { priceHistoryOfferChecker } from "../price-history/offer-check.ts";
import { priceHistoryOffers } from "../price-history/offers.ts";
import type { SourceConfiguration } from "./configuration.ts";
import { reportedChecker, reportedOffers } from "./reported.ts";
import { sandboxOfferChecker, sandboxOffers } from "../sandbox/offers.ts";
import { historyParts, type SourceDependencies, upstreamParts } from "./parts.ts";
import { upstreamOfferChecker, upstreamOffers } from "../upstream/scraper.ts";

/** The sources of the offers endpoints. Every call of a function returns the same instance. */
export interface OfferSources {
  readonly offerScraperFor: () => OfferScraper;
  readonly offerCheckerFor: () => OfferChecker;
}

/** Creates the configured sources for offers and offer checks. */
export function offerSources(
  sources: SourceConfiguration,
  dependencies: SourceDependencies,
): OfferSources {
  const scraper = offersFrom(sources["retailer_a.offers"], dependencies);
  const checker = checkerFrom(sources["retailer_a.offer_check"], dependencies);
  return { offerScraperFor: () => scraper, offerCheckerFor: () => checker };
}

function offersFrom(
  options: SourceConfiguration["retailer_a.offers"],
  dependencies: SourceDependencies,
): OfferScraper {
  switch (options.adapter) {
    case "sandbox": {
      const { clock, recordHealth } = dependencies;
      const offers = sandboxOffers({ seed: options.seed, clock });
      return reportedOffers(offers, { scraper: "retailer_a.offers", clock, recordHealth });
    }
    case "upstream": {
      const { reporting, ...parts } = upstreamParts("retailer_a.offers", options, dependencies);
      return reportedOffers(upstreamOffers(options, parts), reporting);
    }
    case "a_history": {
      const { reporting, ...parts } = historyParts("retailer_a.offers", options, dependencies);
      return reportedOffers(priceHistoryOffers(options, parts), reporting);
    }
    default:
      return options satisfies never;
  }
}

function checkerFrom(
  options: SourceConfiguration["retailer_a.offer_check"],
  dependencies: SourceDependencies,
): OfferChecker {
  switch (options.adapter) {
    case "sandbox": {
      const { clock, recordHealth } = dependencies;
      const checker = sandboxOfferChecker({ seed: options.seed, clock });
      return reportedChecker(checker, { scraper: "retailer_a.offer_check", clock, recordHealth });
    }
    case "upstream": {
      const { reporting, ...parts } = upstreamParts(
        "retailer_a.offer_check",
        options,
        dependencies,
      );
      return reportedChecker(upstreamOfferChecker(options, parts), reporting);
    }
    case "a_history": {
      const { reporting, ...parts } = historyParts("retailer_a.offer_check", options, dependencies);
      return reportedChecker(priceHistoryOfferChecker(options, parts), reporting);
    }
    default:
      return options satisfies never;
  }
}
