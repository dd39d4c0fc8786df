import type { ProductScraperId, StepScraperId } from "../../../scrapers/catalog.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../../scrapers/scraper.ts";
import { temporaryStatuses } from "../../http/polite-client.ts";
import { isTokenRefusal } from "../../price-history/account.ts";
import { priceHistoryOfferChecker } from "../../price-history/offer-check.ts";
import { priceHistoryOffers } from "../../price-history/offers.ts";
import { priceHistoryScraper } from "../../price-history/scraper.ts";
import type { PriceHistoryDependencies } from "../../price-history/source.ts";
import type { PriceHistoryOptions } from "../adapter-options.ts";
import type { OptionsOf } from "../configuration.ts";
import { secretName } from "../name.ts";
import { type SourceDependencies, type SourceParts, sourceParts } from "../parts.ts";
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

/**
 * Maximum size of a reply of the price history API, in bytes. It exceeds the default of 5 MiB,
 * because a reply with 100 complete products is almost that large.
 */
const historyBytesMax = 16 * 1_024 * 1_024;

/**
 * Returns true for a temporary status other than 429. From the price history API, a 429 means too
 * few tokens, for which the adapter waits instead of the client.
 */
const isTemporaryExcept429 = (status: number): boolean =>
  status !== 429 && temporaryStatuses.has(status);

/** Creates the dependencies of the adapter `a_history` for one scraper. */
function historyParts(
  id: StepScraperId,
  options: PriceHistoryOptions,
  dependencies: SourceDependencies,
): PriceHistoryDependencies & Pick<SourceParts, "reporting"> {
  const tokens = dependencies.tokens(secretName(options.secret.reference));
  const { client, reporting, warn, open } = sourceParts(
    id,
    {
      ...options,
      quota: () => tokens.quota(),
      isTemporary: isTemporaryExcept429,
      isUsual: isTokenRefusal,
      bytesMax: historyBytesMax,
    },
    dependencies,
  );
  return {
    client,
    reporting,
    clock: dependencies.clock,
    key: open(options.secret),
    tokens,
    note: warn,
  };
}
