import * as v from "valibot";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import { extractOption } from "../web/rules/extract-option.ts";
import {
  type OptionsOf,
  type ParseOptions,
  parseSources,
  type SourceConfiguration,
} from "./configuration.ts";

/**
 * Parses the value of SOURCES as `parseSources` does, and checks the deployer's rules of the adapter
 * `web` too. A function does not call it, because the check needs the parser of CSS selectors.
 * @throws Error as `parseSources`
 */
export function checkedSources(variable: string, options: ParseOptions = {}): SourceConfiguration {
  const sources = parseSources(variable, options);
  for (const [scraper, source] of Object.entries(sources)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the configuration
    if (source.adapter === "web") checkRules(scraper as StepScraperId, source);
  }
  return sources;
}

/**
 * Checks the deployer's rules of a scraper.
 * @throws Error that names the wrong rule and its mistake
 */
export function checkRules(scraper: StepScraperId, { extract }: OptionsOf<"web">): void {
  const parsed = v.safeParse(v.optional(extractOption), extract, { abortEarly: true });
  if (parsed.success) return;
  const [issue] = parsed.issues;
  throw new Error(`SOURCES: ${scraper}.extract.${v.getDotPath(issue) ?? ""}: ${issue.message}`);
}
