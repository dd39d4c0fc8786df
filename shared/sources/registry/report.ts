import type { StepScraperId } from "../../scrapers/catalogue.ts";
import type { SourceEvent } from "../http/source-event.ts";

/** The calls that one read made of its source. */
export interface CallFigures {
  /** How long each call took, in milliseconds, waits and retries included. */
  readonly milliseconds: readonly number[];
  readonly tries: number;
  /** Tries that the source answered with 429. */
  readonly throttled: number;
  /**
   * Calls by what they came to in the end: `2xx` to `5xx`, the code of an error such as
   * `ECONNREFUSED` or `timeout`, `too_large`, `no_time` or `circuit_open`.
   */
  readonly replies: Readonly<Record<string, number>>;
  readonly circuitsOpened: number;
}

/** What one read came to. Holds no address, no secret and nothing of what was read. */
export interface SourceReport {
  /** The adapter. */
  readonly source: string;
  readonly scraper: StepScraperId;
  readonly milliseconds: number;
  /** Items by status. */
  readonly items: Readonly<Record<string, number>>;
  readonly calls: CallFigures;
}

/** What the events of one read tell. */
export interface CallStory {
  readonly calls: CallFigures;
  /** Null where some call was answered, or none was made. */
  readonly silence: Silence | null;
}

/** That there were calls, and that the source answered none of them. */
export interface Silence {
  /** Whether it at least said to come back later. */
  readonly isBusy: boolean;
  /** What most of the calls came to instead. */
  readonly reason: string;
}

/** Adds up what happened between the service and a source. */
export function callStory(events: readonly SourceEvent[]): CallStory {
  const calls = events.filter((event) => event.kind === "call");
  const replies = countsOf(calls.map(({ reply }) => reply));
  const [[reason] = []] = Object.entries(replies).toSorted(([, a], [, b]) => b - a);
  const isSilent = reason !== undefined && !calls.some(({ spoke }) => spoke === "yes");
  const isBusy = calls.some(({ spoke }) => spoke === "busy");
  return {
    calls: {
      milliseconds: calls.map(({ milliseconds }) => milliseconds),
      tries: calls.reduce((sum, { tries }) => sum + tries, 0),
      throttled: calls.reduce((sum, { throttled }) => sum + throttled, 0),
      replies,
      circuitsOpened: events.length - calls.length,
    },
    silence: isSilent ? { isBusy, reason } : null,
  };
}

/** How often each word occurs. */
export function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
