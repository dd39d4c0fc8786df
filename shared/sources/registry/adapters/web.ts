import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { Scraper } from "../../../scrapers/scraper.ts";
import { isBlockAnswer } from "../../web/block-answer.ts";
import { webScraper } from "../../web/scraper.ts";
import { checkRules } from "../check-rules.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, sourceParts } from "../parts.ts";
import { reportedScraper } from "../reported.ts";

/**
 * Creates a scraper that reads product pages.
 * @throws Error if an extraction rule of the deployer is invalid
 */
export function scraper(
  id: ProductScraperId,
  options: OptionsOf<"web">,
  dependencies: SourceDependencies,
): Scraper {
  checkRules(id, options);
  const parts = sourceParts(id, { ...options, isBlock: isBlockAnswer }, dependencies);
  const { client, reporting, warn } = parts;
  const { clock } = dependencies;
  return reportedScraper(webScraper(options, { client, clock, note: warn }), reporting);
}
