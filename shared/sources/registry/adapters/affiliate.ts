import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { Scraper } from "../../../scrapers/scraper.ts";
import { affiliateScraper } from "../../affiliate/scraper.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, sourceParts } from "../parts.ts";
import { reportedScraper } from "../reported.ts";

/** Creates a scraper that reads the affiliate API. */
export function scraper(
  id: ProductScraperId,
  options: OptionsOf<"b_affiliate">,
  dependencies: SourceDependencies,
): Scraper {
  const { client, reporting, warn, open } = sourceParts(id, options, dependencies);
  const { clock } = dependencies;
  const privateKey = open(options.privateKey);
  return reportedScraper(
    affiliateScraper(options, { client, clock, privateKey, note: warn }),
    reporting,
  );
}
