import type { Clock } from "../../base/clock.ts";
import { inParallel } from "../../base/in-parallel.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import type { SourceClient } from "../http/source-client.ts";
import { follow } from "./follow.ts";
import { type Robots, robots } from "./robots.ts";
import { addressOf, isUrlTemplate } from "./address.ts";
import { webAnswer } from "./answer.ts";
import { allFallbacks } from "./fallback-facts.ts";
import { type ExtractRules, parseRules } from "./rules/rule.ts";
import { priceForest } from "./visible/price-forest.ts";
import type { WebPlatform } from "./fields.ts";
import type { WebOptions } from "./options.ts";

export interface WebDependencies {
  /** The client of the site, which sends the User-Agent of the options. */
  readonly client: SourceClient;
  readonly clock: Clock;
  /** Receives warnings about the site for the operator. */
  readonly note?: (problem: string) => void;
}

interface Reader extends Omit<WebDependencies, "note"> {
  readonly options: WebOptions;
  readonly site: URL;
  readonly robots: Robots;
  readonly rules: ExtractRules;
}

/**
 * Creates a scraper that reads products from a site's public pages, one page for each ID. It uses
 * the rules of the deployer, then the schema.org markup, then other unambiguous content of the
 * page.
 *
 * The scraper requests no page that the site's robots.txt forbids, sends no cookies and solves no
 * challenges. A product that a page does not clearly describe is `partial` or `unavailable`. A
 * product is `not_found` only after a 410, or after a 404 if `notFoundStatus` is true.
 * @throws Error if `urlTemplate` or a rule is invalid. A read of `retailer_a` also throws.
 */
export function webScraper(options: WebOptions, { client, clock, note }: WebDependencies): Scraper {
  const { urlTemplate, userAgent, callsAtOnceMax } = options;
  if (!isUrlTemplate(urlTemplate))
    throw new Error(
      `web: urlTemplate must be an https:// URL with {id} exactly once (got "${urlTemplate}").`,
    );
  const site = addressOf(urlTemplate, "0");
  const reader: Reader = {
    options,
    client,
    clock,
    site,
    robots: robots({ client, clock, site, userAgent, note }),
    rules: parseRules(options.extract ?? {}),
  };
  return {
    async read(request) {
      const { platform } = scrapers[request.scraper];
      if (platform === "retailer_a") {
        throw new Error("web: retailer_a is not supported. Configure another adapter.");
      }
      return inParallel(request.ids, callsAtOnceMax, (id) =>
        readPage(id, { ...request, platform, reader }),
      );
    },
  };
}

interface PageRequest extends ReadRequest {
  readonly platform: WebPlatform;
  readonly reader: Reader;
}

/** Reads the page of one item, if robots.txt allows it, and converts it to an answer. */
async function readPage(id: string, request: PageRequest): Promise<Answer> {
  const { deadline, platform, marketplace, reader } = request;
  const { options, client, clock, site, robots: known, rules: extractRules } = reader;
  const { urlTemplate, notFoundStatus } = options;
  let gapMs = 0;
  const canVisit = async (url: URL): Promise<boolean> => {
    if (clock.now() >= deadline) return false;
    const robotsRules = await known.rulesFor(url, deadline);
    ({ gapMs } = robotsRules);
    return robotsRules.isAllowed(url);
  };
  // Each call uses the crawl delay of the called host, because a redirect may lead to a host with
  // another delay.
  const spaced: SourceClient = {
    send: (call, until) => client.send({ ...call, gapMs }, until),
  };
  const visit = { client: spaced, site, accept: "text/html", deadline, canVisit };
  const asked = addressOf(urlTemplate, id);
  const landing = await follow(asked, visit);
  const fetchedAt = clock.now().toISOString();
  if (landing === null) return { id, status: "unavailable", fetchedAt };
  const forest = await priceForest();
  const readers = { fallbacks: allFallbacks, forest, rules: extractRules };
  return webAnswer(landing, {
    id,
    asked,
    platform,
    marketplace,
    fetchedAt,
    notFoundStatus,
    readers,
  });
}
