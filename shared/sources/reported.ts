/** Sources that report what each of their reads came to. */
import type { Clock } from "../base/clock.ts";
import type { StepScraperId } from "../scrapers/catalogue.ts";
import type { OfferChecker, OfferScraper, Scraper } from "../scrapers/scraper.ts";
import { type CallTally, countsOf, type SourceReport } from "./source-report.ts";

/**
 * Tells the operator of a problem, with the scraper it was met by and what else is known of it; of
 * each problem once a minute at most.
 */
export type TellOperator = (problem: string, detail?: string) => void;

export interface Reporting {
  readonly source: string;
  readonly scraper: StepScraperId;
  readonly tally: CallTally;
  readonly clock: Clock;
  readonly report: (report: SourceReport) => void;
  readonly tell: TellOperator;
}

export const reportedScraper = (scraper: Scraper, reporting: Reporting): Scraper => ({
  read: (request) => reported(() => scraper.read(request), reporting),
});

export const reportedOffers = (scraper: OfferScraper, reporting: Reporting): OfferScraper => ({
  readOffers: (request) => reported(() => scraper.readOffers(request), reporting),
});

export const reportedChecker = (checker: OfferChecker, reporting: Reporting): OfferChecker => ({
  checkOffers: (request) => reported(() => checker.checkOffers(request), reporting),
});

async function reported<Answer extends { readonly status: string }>(
  read: () => Promise<readonly Answer[]>,
  { source, scraper, tally, clock, report, tell }: Reporting,
): Promise<readonly Answer[]> {
  const startedAt = clock.now().getTime();
  const answers = await read();
  const { calls, silence } = tally.take();
  if (silence !== null) tell(`${source}: no call was answered`, silence.reason);
  report({
    source,
    scraper,
    milliseconds: clock.now().getTime() - startedAt,
    items: countsOf(answers.map(({ status }) => status)),
    calls,
  });
  return answers;
}
