import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../../scrapers/scraper.ts";
import { sandboxOfferChecker, sandboxOffers } from "../../sandbox/offers.ts";
import { sandboxScraper } from "../../sandbox/scraper.ts";
import type { OptionsOf } from "../configuration.ts";
import type { SourceDependencies } from "../parts.ts";
import { reportedChecker, reportedOffers, reportedScraper } from "../reported.ts";

type Options = OptionsOf<"sandbox">;

/** Creates the product scraper of the sandbox, which invents items. */
export function scraper(
  id: ProductScraperId,
  { seed }: Options,
  { clock, recordHealth }: SourceDependencies,
): Scraper {
  return reportedScraper(sandboxScraper({ seed, clock }), { scraper: id, clock, recordHealth });
}

/** Creates the offers scraper of the sandbox, which invents offers. */
export function offers(
  { seed }: Options,
  { clock, recordHealth }: SourceDependencies,
): OfferScraper {
  const reporting = { scraper: "retailer_a.offers", clock, recordHealth } as const;
  return reportedOffers(sandboxOffers({ seed, clock }), reporting);
}

/** Creates the offer checker of the sandbox, for its invented offers. */
export function offerChecker(
  { seed }: Options,
  { clock, recordHealth }: SourceDependencies,
): OfferChecker {
  const reporting = { scraper: "retailer_a.offer_check", clock, recordHealth } as const;
  return reportedChecker(sandboxOfferChecker({ seed, clock }), reporting);
}
