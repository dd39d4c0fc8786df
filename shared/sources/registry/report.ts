import type { StepScraperId } from "../../scrapers/catalog.ts";
import type { SourceEvent } from "../http/source-event.ts";

/** Metrics of the calls in one read. */
export interface CallMetrics {
  /** The duration of each call in milliseconds, including waits and retries. */
  readonly milliseconds: readonly number[];
  readonly tries: number;
  /** The number of tries for which the source returned 429. */
  readonly throttled: number;
  /**
   * The number of calls by result. The result is the class of the status (such as `2xx`), an error
   * code (such as `ECONNREFUSED` or `timeout`), `too_large`, `no_time` or `circuit_open`.
   */
  readonly replies: Readonly<Record<string, number>>;
  readonly circuitsOpened: number;
}

/** The metrics of one read. Contains no address, no secret and no data from responses. */
export interface SourceReport {
  /** The adapter's name. */
  readonly source: string;
  readonly scraper: StepScraperId;
  readonly milliseconds: number;
  /** The number of items by status. */
  readonly items: Readonly<Record<string, number>>;
  readonly calls: CallMetrics;
}

/** The summary of the events in one read. */
export interface CallSummary {
  readonly calls: CallMetrics;
  /**
   * The reason why no call succeeded; null if the source responded to a call (`responded` is "yes"
   * in `SourceEvent`), or if the read made no call.
   */
  readonly unanswered: Unanswered | null;
}

/** The reason why no call of a read succeeded. */
export interface Unanswered {
  /** True if the source requested a later retry of at least one call. */
  readonly isBusy: boolean;
  /** The most frequent result of the calls. */
  readonly reason: string;
}

/**
 * Summarizes the events of one read: the metrics of its calls, and the reason why no call
 * succeeded. The reason is null if the source responded to a call, or if the read made no call. A
 * response that requests a later retry does not count as a response.
 */
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
