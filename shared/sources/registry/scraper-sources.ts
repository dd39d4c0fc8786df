import type { ProductScraperId } from "../../scrapers/catalog.ts";
import type { Scraper } from "../../scrapers/scraper.ts";
import { priceHistoryScraper } from "../price-history/scraper.ts";
import { affiliateScraper } from "../affiliate/scraper.ts";
import type { SourceConfiguration } from "./configuration.ts";
import { catalogWait, isCatalogBlock } from "../catalog/forbidden.ts";
import { catalogScraper } from "../catalog/scraper.ts";
import { type Reporting, reportedScraper } from "./reported.ts";
import { sandboxScraper } from "../sandbox/scraper.ts";
import { historyParts, sourceParts, type SourceDependencies, upstreamParts } from "./parts.ts";
import { storefrontScraper } from "../storefront/scraper.ts";
import { storeWait } from "../storefront/tool-reply.ts";
import { upstreamScraper } from "../upstream/scraper.ts";
import { webScraper } from "../web/scraper.ts";
import { isBlockAnswer } from "../web/block-answer.ts";

/**
 * Returns a function that returns the scraper with the given scraper ID. It creates each scraper
 * once, so a scraper's limits apply to all reads of the process.
 */
export function scraperFor(
  sources: SourceConfiguration,
  dependencies: SourceDependencies,
): (scraper: ProductScraperId) => Scraper {
  const createdScrapers = new Map<ProductScraperId, Scraper>();
  return (id) => {
    const scraper = createdScrapers.get(id) ?? makeScraper(id, sources[id], dependencies);
    createdScrapers.set(id, scraper);
    return scraper;
  };
}

type ScraperOptions = SourceConfiguration[ProductScraperId];

function makeScraper(
  id: ProductScraperId,
  options: ScraperOptions,
  dependencies: SourceDependencies,
): Scraper {
  const { scraper, reporting } = scraperParts(id, options, dependencies);
  return reportedScraper(scraper, reporting);
}

function scraperParts(
  id: ProductScraperId,
  options: ScraperOptions,
  dependencies: SourceDependencies,
): { readonly scraper: Scraper; readonly reporting: Reporting } {
  const { clock, recordHealth } = dependencies;
  switch (options.adapter) {
    case "sandbox": {
      const scraper = sandboxScraper({ seed: options.seed, clock });
      return { scraper, reporting: { scraper: id, clock, recordHealth } };
    }
    case "upstream": {
      const { reporting, ...parts } = upstreamParts(id, options, dependencies);
      return { scraper: upstreamScraper(options, parts), reporting };
    }
    case "d_catalog": {
      const overrides = { isBlock: isCatalogBlock, asksToWait: catalogWait };
      const parts = sourceParts(id, { ...options, ...overrides }, dependencies);
      const { client, reporting, warn, open } = parts;
      const secret = options.secret && { secret: open(options.secret) };
      return {
        scraper: catalogScraper(options, { client, clock, note: warn, ...secret }),
        reporting,
      };
    }
    case "b_affiliate": {
      const { client, reporting, warn, open } = sourceParts(id, options, dependencies);
      const privateKey = open(options.privateKey);
      return {
        scraper: affiliateScraper(options, { client, clock, privateKey, note: warn }),
        reporting,
      };
    }
    case "a_history": {
      const { reporting, ...parts } = historyParts(id, options, dependencies);
      return { scraper: priceHistoryScraper(options, parts), reporting };
    }
    case "storefront": {
      const { profileUrl = dependencies.agentProfileUrl } = options;
      const parts = sourceParts(id, { ...options, asksToWait: storeWait }, dependencies);
      const { client, reporting, warn } = parts;
      const store = { ...options, profileUrl };
      return { scraper: storefrontScraper(store, { client, clock, note: warn }), reporting };
    }
    case "web": {
      const parts = sourceParts(id, { ...options, isBlock: isBlockAnswer }, dependencies);
      const { client, reporting, warn } = parts;
      return { scraper: webScraper(options, { client, clock, note: warn }), reporting };
    }
    default:
      return options satisfies never;
  }
}
