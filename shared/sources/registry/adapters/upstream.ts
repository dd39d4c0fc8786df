import type { ProductScraperId, StepScraperId } from "../../../scrapers/catalog.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../../scrapers/scraper.ts";
import { statusProblem } from "../../contract/status-problem.ts";
import { isBlockedByProxy } from "../../http/page-answer.ts";
import type { UpstreamDependencies, UpstreamNote } from "../../upstream/exchange.ts";
import { upstreamOfferChecker, upstreamOffers, upstreamScraper } from "../../upstream/scraper.ts";
import type { UpstreamOptions } from "../adapter-options.ts";
import type { OptionsOf } from "../configuration.ts";
import { type SourceDependencies, type SourceParts, sourceParts } from "../parts.ts";
import { reportedChecker, reportedOffers, reportedScraper } from "../reported.ts";

type Options = OptionsOf<"upstream">;

/**
 * Creates a product scraper that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function scraper(
  id: ProductScraperId,
  options: Options,
  dependencies: SourceDependencies,
): Scraper {
  const { reporting, ...parts } = upstreamParts(id, options, dependencies);
  return reportedScraper(upstreamScraper(options, parts), reporting);
}

/**
 * Creates an offers scraper that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function offers(options: Options, dependencies: SourceDependencies): OfferScraper {
  const { reporting, ...parts } = upstreamParts("retailer_a.offers", options, dependencies);
  return reportedOffers(upstreamOffers(options, parts), reporting);
}

/**
 * Creates an offer checker that reads a server of the deployer, which implements the upstream
 * contract.
 */
export function offerChecker(options: Options, dependencies: SourceDependencies): OfferChecker {
  const { reporting, ...parts } = upstreamParts("retailer_a.offer_check", options, dependencies);
  return reportedChecker(upstreamOfferChecker(options, parts), reporting);
}

/** Creates the dependencies of the adapter `upstream` for one scraper. */
function upstreamParts(
  id: StepScraperId,
  options: UpstreamOptions,
  dependencies: SourceDependencies,
): UpstreamDependencies & Pick<SourceParts, "reporting"> {
  const { clock, random } = dependencies;
  const { client, reporting, warn, open } = sourceParts(
    id,
    // With 401 or 403, the server rejects one key. It may still accept calls with another key, so
    // these statuses do not open the circuit.
    { ...options, isBlock: isBlockedByProxy },
    dependencies,
  );
  return {
    client,
    reporting,
    clock,
    random,
    ...(options.secret && { secret: open(options.secret) }),
    note: (note) => warn(`upstream: the server ${problemOf(note)}`),
  };
}

/** Returns the end of a warning that begins with "upstream: the server". */
function problemOf(note: UpstreamNote): string {
  switch (note.kind) {
    case "refused":
      return statusProblem(note.status) ?? `refuses calls (${note.status})`;
    case "too_many":
      return "accepts fewer IDs in a call than batchIdsMax (413); lower batchIdsMax";
    case "unreadable":
      return "sends replies that violate the contract; run npm run check:upstream to find the violations";
    default:
      return note satisfies never;
  }
}
