import type { StepScraperId } from "../../scrapers/catalogue.ts";
import type { SourceEvent } from "../http/source-event.ts";

/** The metrics of the calls that one read sent. */
export interface CallMetrics {
  /** Duration of each call in milliseconds, including waits and retries. */
  readonly milliseconds: readonly number[];
  readonly tries: number;
  /** Tries that the source answered with 429. */
  readonly throttled: number;
  /**
   * Calls by result: `2xx` to `5xx`, an error code such as `ECONNREFUSED` or `timeout`,
   * `too_large`, `no_time` or `circuit_open`.
   */
  readonly replies: Readonly<Record<string, number>>;
  readonly circuitsOpened: number;
}

/** The result of one read. Contains no address, no secret and no data of the answer. */
export interface SourceReport {
  /** The adapter. */
  readonly source: string;
  readonly scraper: StepScraperId;
  readonly milliseconds: number;
  /** Items by status. */
  readonly items: Readonly<Record<string, number>>;
  readonly calls: CallMetrics;
}

/** Summary of the events of one read. */
export interface CallSummary {
  readonly calls: CallMetrics;
  /** Null if a call was answered, or none was sent. */
  readonly unanswered: Unanswered | null;
}

/** Reported when calls were sent and none was answered. */
export interface Unanswered {
  /** True if the source answered a try with a temporary refusal. */
  readonly isBusy: boolean;
  /** The most frequent result of the calls. */
  readonly reason: string;
}

/** Summarizes the calls between the service and a source. */
export function callSummary(events: readonly SourceEvent[]): CallSummary {
  const calls = events.filter((event) => event.kind === "call");
  const replies = countsOf(calls.map(({ reply }) => reply));
  const [[reason] = []] = Object.entries(replies).toSorted(([, a], [, b]) => b - a);
  const isSilent = reason !== undefined && !calls.some(({ responded }) => responded === "yes");
  const isBusy = calls.some(({ responded }) => responded === "busy");
  return {
    calls: {
      milliseconds: calls.map(({ milliseconds }) => milliseconds),
      tries: calls.reduce((sum, { tries }) => sum + tries, 0),
      throttled: calls.reduce((sum, { throttled }) => sum + throttled, 0),
      replies,
      circuitsOpened: events.length - calls.length,
    },
    unanswered: isSilent ? { isBusy, reason } : null,
  };
}

/** Counts how often each word occurs. */
export function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
