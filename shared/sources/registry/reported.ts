/**
 * Wraps sources so that each read is reported, with its metrics, and counts towards the source's
 * health.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base/clock.ts";
import type { StepScraperId } from "../../scrapers/catalog.ts";
import { countRead, type Quota } from "../../source-health/health-counts.ts";
import type { RecordHealth } from "../../source-health/record-health.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../../scrapers/scraper.ts";
import type { NoteEvent, SourceEvent } from "../http/source-event.ts";
import { callSummary, countsOf, type SourceReport } from "./report.ts";

/**
 * Warns the operator of a problem of one scraper. The warning contains the scraper's name. The same
 * problem is repeated at most once a minute, even with another `detail`.
 */
export type WarnOperator = (problem: string, detail?: string) => void;

/** The dependencies that record the reads of a scraper. */
export interface Reporting {
  readonly scraper: StepScraperId;
  readonly clock: Clock;
  readonly recordHealth: RecordHealth;
  /**
   * The remote source. It is absent for the sandbox, whose reads count as one call each and have no
   * metrics.
   */
  readonly remote?: RemoteReporting;
}

interface RemoteReporting {
  readonly source: string;
  /** Returns the quota that the source last reported; null if it has reported none. */
  readonly quota?: (() => Quota | null) | undefined;
  readonly report: (report: SourceReport) => void;
  readonly warn: WarnOperator;
}

/** The events of the current read. Reads overlap, so each read has a separate array. */
const eventsOfRead = new AsyncLocalStorage<SourceEvent[]>();

/** Records an event for the report of the current read. Ignores events outside a read. */
export const noteForRead: NoteEvent = (event) => eventsOfRead.getStore()?.push(event);

/**
 * Wraps a product scraper to record each of its reads: in the health of the source and, for a
 * remote source, in a log line with metrics.
 */
export const reportedScraper = (scraper: Scraper, reporting: Reporting): Scraper => ({
  read: (request) => reportRead(() => scraper.read(request), reporting),
});

/**
 * Wraps an offers scraper to record each of its reads: in the health of the source and, for a
 * remote source, in a log line with metrics.
 */
export const reportedOffers = (scraper: OfferScraper, reporting: Reporting): OfferScraper => ({
  readOffers: (request) => reportRead(() => scraper.readOffers(request), reporting),
});

/**
 * Wraps an offer checker to record each of its reads: in the health of the source and, for a remote
 * source, in a log line with metrics.
 */
export const reportedChecker = (checker: OfferChecker, reporting: Reporting): OfferChecker => ({
  checkOffers: (request) => reportRead(() => checker.checkOffers(request), reporting),
});

/** The members of an answer on which reports and health depend. */
type AnyAnswer = Parameters<typeof countRead>[0]["answers"][number];

/** Makes a read, reports it, and records it in the source's health. Returns the answers. */
async function reportRead<Answer extends AnyAnswer>(
  read: () => Promise<readonly Answer[]>,
  { scraper, clock, recordHealth, remote }: Reporting,
): Promise<readonly Answer[]> {
  const startedAt = clock.now().getTime();
  const events: SourceEvent[] = [];
  const answers = await eventsOfRead.run(events, read);
  const endedAt = clock.now();
  const milliseconds = endedAt.getTime() - startedAt;
  let callMs = [milliseconds];
  if (remote !== undefined) {
    const { calls, unanswered } = callSummary(events);
    warnUnanswered(unanswered, remote);
    const items = countsOf(answers.map(({ status }) => status));
    remote.report({ source: remote.source, scraper, milliseconds, items, calls });
    callMs = events.flatMap((event) => (isSent(event) ? [event.milliseconds] : []));
  }
  const quota = remote?.quota?.() ?? null;
  await recordHealth(scraper, countRead({ answers, callMs, quota, endedAt }));
  return answers;
}

/**
 * Warns the operator of a read in which no call succeeded. Does nothing for any other read.
 * @param unanswered the reason why no call succeeded; null for any other read
 */
function warnUnanswered(
  unanswered: ReturnType<typeof callSummary>["unanswered"],
  { source, warn }: RemoteReporting,
): void {
  if (unanswered?.isBusy === true)
    warn(
      `${source}: all calls of a read failed, and the source throttled calls (429); lower callsPerSecond`,
    );
  else if (unanswered !== null)
    warn(
      `${source}: all calls of a read failed; check the source and its secret`,
      unanswered.reason,
    );
}

/** Returns true for a call that was sent to the source at least once. */
const isSent = (event: SourceEvent): event is Extract<SourceEvent, { kind: "call" }> =>
  event.kind === "call" && event.tries > 0;
