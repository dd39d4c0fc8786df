/** Wraps sources so that each read reports its metrics and is counted for the source's health. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base/clock.ts";
import type { StepScraperId } from "../../scrapers/catalogue.ts";
import { countRead, type Quota } from "../../source-health/health-counts.ts";
import type { RecordHealth } from "../../source-health/record-health.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../scrapers/scraper.ts";
import type { NoteEvent, SourceEvent } from "../http/source-event.ts";
import { callSummary, countsOf, type SourceReport } from "./report.ts";

/**
 * Warns the operator of a problem of one scraper. The warning contains the scraper's name. The same
 * problem is repeated at most once a minute, whatever its `detail`.
 */
export type WarnOperator = (problem: string, detail?: string) => void;

/** What counts the reads of a scraper for its health. */
export interface HealthReporting {
  readonly scraper: StepScraperId;
  readonly clock: Clock;
  readonly recordHealth: RecordHealth;
}

export interface Reporting extends HealthReporting {
  readonly source: string;
  /** Returns the quota that the source last reported; null if it has reported none. */
  readonly quota?: () => Quota | null;
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

/**
 * Wraps a scraper without a remote source. The wrapper counts each read as one call, and reports no
 * metrics.
 */
export const countedScraper = (scraper: Scraper, reporting: HealthReporting): Scraper => ({
  read: (request) => counted(() => scraper.read(request), reporting),
});

/** Wraps a scraper of offers, as `countedScraper` does. */
export const countedOffers = (scraper: OfferScraper, reporting: HealthReporting): OfferScraper => ({
  readOffers: (request) => counted(() => scraper.readOffers(request), reporting),
});

/** Wraps an offer checker, as `countedScraper` does. */
export const countedChecker = (
  checker: OfferChecker,
  reporting: HealthReporting,
): OfferChecker => ({
  checkOffers: (request) => counted(() => checker.checkOffers(request), reporting),
});

/** The members of an answer that reports and health depend on. */
type AnyAnswer = Parameters<typeof countRead>[0]["answers"][number];

async function counted<Answer extends AnyAnswer>(
  read: () => Promise<readonly Answer[]>,
  { scraper, clock, recordHealth }: HealthReporting,
): Promise<readonly Answer[]> {
  const startedAt = clock.now().getTime();
  const answers = await read();
  const endedAt = clock.now();
  const callMs = [endedAt.getTime() - startedAt];
  await recordHealth(scraper, countRead({ answers, callMs, quota: null, endedAt }));
  return answers;
}

async function reported<Answer extends AnyAnswer>(
  read: () => Promise<readonly Answer[]>,
  { source, scraper, clock, report, warn, recordHealth, quota = () => null }: Reporting,
): Promise<readonly Answer[]> {
  const startedAt = clock.now().getTime();
  const events: SourceEvent[] = [];
  const answers = await eventsOfRead.run(events, read);
  const { calls, unanswered } = callSummary(events);
  if (unanswered?.isBusy === true)
    warn(`${source}: no call succeeded, and calls were throttled (429); lower callsPerSecond`);
  else if (unanswered !== null) warn(`${source}: no call succeeded`, unanswered.reason);
  const endedAt = clock.now();
  report({
    source,
    scraper,
    milliseconds: endedAt.getTime() - startedAt,
    items: countsOf(answers.map(({ status }) => status)),
    calls,
  });
  const callMs = events.flatMap((event) => (isSent(event) ? [event.milliseconds] : []));
  await recordHealth(scraper, countRead({ answers, callMs, quota: quota(), endedAt }));
  return answers;
}

/** Returns true for a call that was sent to the source at least once. */
const isSent = (event: SourceEvent): event is Extract<SourceEvent, { kind: "call" }> =>
  event.kind === "call" && event.tries > 0;
