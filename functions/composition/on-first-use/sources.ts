/**
 * The sources, for functions that read them in few invocations. The configuration is parsed at the
 * first read.
 */
import type { StepSources } from "../../../shared/runs/read-step.ts";
import type { FunctionName } from "../../environment.ts";
import { once } from "../clients.ts";
import type { Overrides } from "../overrides.ts";
import type { SourceNeeds } from "../sources.ts";

/**
 * Creates the sources of products, offers and offer checks. The configuration in SOURCES is parsed
 * at the first read, which rejects if it is invalid.
 * @param name the Lambda function, for its log
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function sources(
  environment: SourceNeeds,
  name: FunctionName,
  overrides: Overrides,
): StepSources {
  const loaded = once(async () =>
    (await import("../sources.ts")).sources(environment, name, overrides),
  );
  return {
    scraperFor: (scraper) => ({
      read: async (request) => (await loaded()).scraperFor(scraper).read(request),
    }),
    offerScraperFor: () => ({
      readOffers: async (request) => (await loaded()).offerScraperFor().readOffers(request),
    }),
    offerCheckerFor: () => ({
      checkOffers: async (request) => (await loaded()).offerCheckerFor().checkOffers(request),
    }),
  };
}
