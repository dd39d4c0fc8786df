/** The product scraper of the sandbox, for the calls that read only the sandbox. */
import type { Scraper } from "../../shared/scrapers/scraper.ts";
import { sandboxScraper } from "../../shared/sources/sandbox/scraper.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";

/**
 * Creates the product scraper of the sandbox, even if the sandbox is not a configured source.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const sandbox = (overrides: Overrides): Scraper =>
  sandboxScraper({ seed: "sandbox", clock: timeAndRandom(overrides).clock });
