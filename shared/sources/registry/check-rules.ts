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
 * Parses SOURCES like `parseSources`, and also checks the deployer's extraction rules for the
 * adapter `web`. Lambda functions use `parseSources` instead, because this check loads the parser
 * of CSS selectors.
 * @param variable value of SOURCES
 * @throws Error for the same reasons as `parseSources`, and for an invalid rule
 */
export function checkedSources(variable: string, options: ParseOptions = {}): SourceConfiguration {
  const sources = parseSources(variable, options);
  for (const [scraper, source] of Object.entries(sources)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the configuration are scraper IDs
    if (source.adapter === "web") checkRules(scraper as StepScraperId, source);
  }
  return sources;
}

/**
 * Checks the deployer's extraction rules for the pages of a scraper. Accepts an absent `extract`.
 * @throws Error that names the first invalid rule and its mistake
 */
export function checkRules(scraper: StepScraperId, { extract }: OptionsOf<"web">): void {
  const parsed = v.safeParse(v.optional(extractOption), extract, { abortEarly: true });
  if (parsed.success) return;
  const [issue] = parsed.issues;
  // The path is null if 'extract' as a whole is invalid.
  const path = v.getDotPath(issue);
  throw new Error(
    `SOURCES: ${scraper}.extract${path === null ? "" : `.${path}`}: ${issue.message}`,
  );
}
