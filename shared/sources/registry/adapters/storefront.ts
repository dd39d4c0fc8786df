import type { ProductScraperId } from "../../../scrapers/catalog.ts";
import type { Scraper } from "../../../scrapers/scraper.ts";
import { storefrontScraper } from "../../storefront/scraper.ts";
import { storeWait } from "../../storefront/tool-reply.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, sourceParts } from "../parts.ts";
import { reportedScraper } from "../reported.ts";

/** Creates a scraper that reads a store through the Universal Commerce Protocol. */
export function scraper(
  id: ProductScraperId,
  options: OptionsOf<"storefront">,
  dependencies: SourceDependencies,
): Scraper {
  const { clock, agentProfileUrl } = dependencies;
  const { profileUrl = agentProfileUrl } = options;
  const parts = sourceParts(id, { ...options, asksToWait: storeWait }, dependencies);
  const { client, reporting, warn } = parts;
  const store = { ...options, profileUrl };
  return reportedScraper(storefrontScraper(store, { client, clock, note: warn }), reporting);
}
