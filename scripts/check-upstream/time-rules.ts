/** Checks the read times in the results and the duration of the reply. */
import { readingAgeMaxMs } from "../../shared/sources/contract/reading-age.ts";
import type { Answered } from "./exchange.ts";
import type { Verdict } from "./finding.ts";
import { joinTroubles, textOf } from "./listed.ts";
import { isTimeAccepted } from "./taken.ts";

interface Dated {
  readonly id?: unknown;
  readonly fetchedAt?: unknown;
}

/**
 * The largest tolerated lead of a server's clock over the clock of this machine, in milliseconds.
 */
const aheadMaxMs = 60_000;

/**
 * Checks the rules about read times and about the duration of the reply. Returns one verdict for
 * each rule, including rules that hold.
 * @param results The results as the server sent them.
 * @param deadlineMs The deadline that the call contained, in milliseconds.
 */
export function judgeTimes(
  results: readonly Dated[],
  { milliseconds }: Answered,
  deadlineMs: number,
): Verdict[] {
  const dated = results.filter(({ fetchedAt }) => fetchedAt !== undefined && fetchedAt !== null);
  const ids = (those: readonly Dated[]): string[] => those.map(({ id }) => textOf(id));
  const isStale = (one: Dated): boolean => readAgoMs(one) > readingAgeMaxMs;
  const unread = dated.filter((one) => !isStale(one) && !isTimeAccepted(one.fetchedAt));
  return [
    {
      rule: "fetched-at",
      level: "should",
      expected: "fetchedAt in every result",
      trouble: joinTroubles(
        ids(results.filter((one) => !dated.includes(one))).map((id) => `${id} has none`),
      ),
    },
    {
      rule: "time",
      level: "must",
      expected:
        "fetchedAt like 2026-01-31T10:00:00Z, in any time zone (otherwise the item counts as unavailable)",
      trouble: joinTroubles(
        unread.map(({ id, fetchedAt }) => `${textOf(id)}: ${JSON.stringify(fetchedAt)}`),
      ),
    },
    {
      rule: "fresh",
      level: "must",
      expected: "no item read more than a day ago (it counts as unavailable)",
      trouble: joinTroubles(ids(dated.filter(isStale))),
    },
    {
      rule: "clock",
      level: "should",
      expected: "no fetchedAt in the future",
      trouble: joinTroubles(ids(dated.filter((one) => readAgoMs(one) < -aheadMaxMs))),
    },
    {
      rule: "deadline",
      level: "should",
      expected: `a reply within deadline_ms (${deadlineMs} ms)`,
      trouble: milliseconds > deadlineMs ? `${milliseconds} ms` : null,
    },
  ];
}

/** Returns the age of a result in milliseconds; NaN if its read time is missing or invalid. */
const readAgoMs = ({ fetchedAt }: Dated): number =>
  typeof fetchedAt === "string" ? Date.now() - Date.parse(fetchedAt) : Number.NaN;
