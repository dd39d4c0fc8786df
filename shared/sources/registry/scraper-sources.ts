import type { ProductScraperId } from "../../scrapers/catalog.ts";
import type { Scraper } from "../../scrapers/scraper.ts";
import type { SourceConfiguration } from "./configuration.ts";
import { adapters } from "./load-adapters.ts";
import type { SourceDependencies } from "./parts.ts";

/**
 * Creates a function that returns the scraper with a given ID. The function creates each scraper
 * only once, so the limits of a scraper apply to all reads of the process.
 */
export function scraperFor(
  sources: SourceConfiguration,
  dependencies: SourceDependencies,
): (scraper: ProductScraperId) => Scraper {
  const createdScrapers = new Map<ProductScraperId, Scraper>();
  return (id) => {
    const scraper = createdScrapers.get(id) ?? loadedScraper(id, sources[id], dependencies);
    createdScrapers.set(id, scraper);
    return scraper;
  };
}

type ScraperOptions = SourceConfiguration[ProductScraperId];

/** Returns a scraper whose adapter loads at the first read. */
function loadedScraper(
  id: ProductScraperId,
  options: ScraperOptions,
  dependencies: SourceDependencies,
): Scraper {
  let loading: Promise<Scraper> | undefined;
  return {
    async read(request) {
      loading ??= createScraper(id, options, dependencies);
      return (await loading).read(request);
    },
  };
}

/** Loads the configured adapter of a scraper, and creates the scraper. */
async function createScraper(
  id: ProductScraperId,
  options: ScraperOptions,
  dependencies: SourceDependencies,
): Promise<Scraper> {
  switch (options.adapter) {
    case "sandbox":
      return (await adapters.sandbox()).scraper(id, options, dependencies);
    case "upstream":
      return (await adapters.upstream()).scraper(id, options, dependencies);
    case "d_catalog":
      return (await adapters.d_catalog()).scraper(id, options, dependencies);
    case "b_affiliate":
      return (await adapters.b_affiliate()).scraper(id, options, dependencies);
    case "a_history":
      return (await adapters.a_history()).scraper(id, options, dependencies);
    case "storefront":
      return (await adapters.storefront()).scraper(id, options, dependencies);
    case "web":
      return (await adapters.web()).scraper(id, options, dependencies);
    default:
      return options satisfies never;
  }
}
