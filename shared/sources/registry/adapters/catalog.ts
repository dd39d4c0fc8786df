import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { Scraper } from "../../../scrapers/scraper.ts";
import { catalogWait, isCatalogBlock } from "../../catalog/forbidden.ts";
import { catalogScraper } from "../../catalog/scraper.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, sourceParts } from "../parts.ts";
import { reportedScraper } from "../reported.ts";

/** Creates a scraper that reads the product catalog API. */
export function scraper(
  id: ProductScraperId,
  options: OptionsOf<"d_catalog">,
  dependencies: SourceDependencies,
): Scraper {
  const overrides = { isBlock: isCatalogBlock, asksToWait: catalogWait };
  const parts = sourceParts(id, { ...options, ...overrides }, dependencies);
  const { client, reporting, warn, open } = parts;
  const { clock } = dependencies;
  const secret = options.secret && { secret: open(options.secret) };
  return reportedScraper(
    catalogScraper(options, { client, clock, note: warn, ...secret }),
    reporting,
  );
}
