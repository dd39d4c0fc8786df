/** Wraps sources so that each read reports its metrics. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base/clock.ts";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../scrapers/scraper.ts";
import type { NoteEvent, SourceEvent } from "../http/source-event.ts";
import { callSummary, countsOf, type SourceReport } from "./report.ts";

/**
 * Warns the operator of a problem of one scraper. The warning contains the scraper's name. The same
 * problem is repeated at most once a minute, whatever its `detail`.
 */
export type WarnOperator = (problem: string, detail?: string) => void;

export interface Reporting {
  readonly source: string;
  readonly scraper: StepScraperId;
  readonly clock: Clock;
  readonly report: (report: SourceReport) => void;
  readonly warn: WarnOperator;
}

/** The events of the current read. Reads overlap, so each read has a separate array. */
const eventsOfRead = new AsyncLocalStorage<SourceEvent[]>();

/** Adds an event to the current read. Ignores events outside a read. */
export const noteForRead: NoteEvent = (event) => eventsOfRead.getStore()?.push(event);

/** Wraps a scraper. The wrapper reports each of its reads to `reporting.report`. */
export const reportedScraper = (scraper: Scraper, reporting: Reporting): Scraper => ({
  read: (request) => reported(() => scraper.read(request), reporting),
});

/** Wraps a scraper of offers. The wrapper reports each of its reads to `reporting.report`. */
export const reportedOffers = (scraper: OfferScraper, reporting: Reporting): OfferScraper => ({
  readOffers: (request) => reported(() => scraper.readOffers(request), reporting),
});

/** Wraps an offer checker. The wrapper reports each of its checks to `reporting.report`. */
export const reportedChecker = (checker: OfferChecker, reporting: Reporting): OfferChecker => ({
  checkOffers: (request) => reported(() => checker.checkOffers(request), reporting),
});

async function reported<Answer extends { readonly status: string }>(
  read: () => Promise<readonly Answer[]>,
  { source, scraper, clock, report, warn }: Reporting,
): Promise<readonly Answer[]> {
  const startedAt = clock.now().getTime();
  const events: SourceEvent[] = [];
  const answers = await eventsOfRead.run(events, read);
  const { calls, unanswered } = callSummary(events);
  if (unanswered?.isBusy === true)
    warn(`${source}: no call succeeded, and calls were throttled (429); lower callsPerSecond`);
  else if (unanswered !== null) warn(`${source}: no call succeeded`, unanswered.reason);
  report({
    source,
    scraper,
    milliseconds: clock.now().getTime() - startedAt,
    items: countsOf(answers.map(({ status }) => status)),
    calls,
  });
  return answers;
}
