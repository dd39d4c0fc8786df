import * as v from "valibot";
import { invalidParam, missingParam, type ServiceError } from "../base/errors.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import { parsePlatform, type Platform, type Shop } from "../platforms/catalog.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../scrapers/catalog.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRoute } from "./check-route.ts";
import type { Pipeline, Step } from "./definition.ts";
import { pipelineBody, plainName } from "./pipeline-body.ts";

/**
 * Parses a pipeline of a request, sets defaults and checks all rules (specification, section
 * "Pipeline"). Refuses unknown keys at every level, steps that no run reaches, and an `offer_check`
 * step without a product or offers step before it on every path.
 * @param path path of the pipeline in the request; `param` of an error begins with it
 * @throws 400 with `param` = the key to change; 501 if the pipeline is valid, but one of its
 * scrapers is announced and not yet available for this marketplace
 */
export function parsePipeline(value: unknown, shop: Shop, path = "pipeline"): Pipeline {
  const parsed = v.safeParse(pipelineBody, value, { abortEarly: true });
  if (!parsed.success) throw refusal(parsed.issues[0], { path, shop });
  const { steps, baseline = null, refresh = null, entry = steps[0]?.id ?? "" } = parsed.output;
  const pipeline = {
    entry,
    baseline,
    refresh: refresh && { everyRuns: refresh.every_runs, entry: refresh.entry },
    steps,
  };
  checkSteps(steps, shop, path);
  checkPaths(pipeline, path);
  for (const { scraper } of steps) parsePlatform(shop, stepScrapers[scraper].endpoint);
  return pipeline;
}

/**
 * Checks the IDs, the scrapers and the routes of steps.
 * @throws 400 for the first fault
 */
function checkSteps(steps: readonly Step[], shop: Shop, path: string): void {
  for (const [at, step] of steps.entries()) {
    const place = `${path}.steps[${at}]`;
    const twin = steps.findIndex(({ id }) => id === step.id);
    if (twin < at) {
      throw invalidParam(
        `${place}.id`,
        `'${step.id}' is also the ID of steps[${twin}]. Give every step a unique ID.`,
      );
    }
    checkScraper(step, shop, place);
    for (const [index, route] of step.routes.entries()) {
      checkRoute(route, { scraper: step.scraper, path: `${place}.routes[${index}]` });
    }
  }
}

/**
 * Checks that the scraper of a step fits the platform and the condition.
 * @throws 400 if it does not fit
 */
function checkScraper({ scraper, condition }: Step, { platform }: Shop, place: string): void {
  const entry = stepScrapers[scraper];
  if (entry.platform !== platform) {
    throw invalidParam(
      `${place}.scraper`,
      `'${scraper}' does not read '${platform}', the platform of this watchlist. ` +
        `Use one of: ${scrapersOf(platform).join(", ")}.`,
    );
  }
  if (condition !== undefined && entry.kind !== "offers") {
    throw invalidParam(
      `${place}.condition`,
      `'condition' applies only with 'scraper': 'retailer_a.offers'. Omit it if 'scraper' is '${scraper}'.`,
    );
  }
}

const scrapersOf = (platform: Platform): readonly StepScraperId[] =>
  stepScraperIds.filter((id) => stepScrapers[id].platform === platform);

/** Converts a schema issue to an error 400 whose `param` is the key to change. */
function refusal(
  issue: v.BaseIssue<unknown>,
  { path, shop }: { readonly path: string; readonly shop: Shop },
): ServiceError {
  const param = [path];
  for (const { key, input } of issue.path ?? []) {
    // The client sent an array instead of an object. The error must name the array: the missing key
    // would suggest that the array needs this key.
    if (typeof key === "string" && Array.isArray(input)) {
      const place = param.join("");
      return invalidParam(place, `'${place}' must be an object, not an array.`);
    }
    if (typeof key === "number") param.push(`[${key}]`);
    else if (typeof key === "string" && plainName.test(key)) param.push(`.${key}`);
  }
  const place = param.join("");
  if (issue.received === "undefined") return missingParam(place);
  return invalidParam(place, isUnknownScraper(issue) ? scraperMessage(issue, shop) : issue.message);
}

const isUnknownScraper = ({ type, path }: v.BaseIssue<unknown>): boolean =>
  type === "picklist" && path?.at(-1)?.key === "scraper";

/**
 * Returns the message for an invalid `scraper`. The message lists only the scrapers of the
 * watchlist's platform, although the schema accepts the scrapers of all platforms.
 */
const scraperMessage = ({ input }: v.BaseIssue<unknown>, { platform }: Shop): string =>
  invalidChoiceMessage(`'scraper' of ${platform}`, scrapersOf(platform), input);
