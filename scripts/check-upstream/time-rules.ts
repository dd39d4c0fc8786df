/** Rules for the read time and the reply time. */
import { readingAgeMaxMs } from "../../shared/sources/contract/reading-age.ts";
import type { Answered } from "./exchange.ts";
import type { Verdict } from "./finding.ts";
import { listed, textOf } from "./listed.ts";
import { isTimeTaken } from "./taken.ts";

interface Dated {
  readonly id?: unknown;
  readonly fetchedAt?: unknown;
}

/** The greatest accepted advance of a server's clock. */
const aheadMaxMs = 60_000;

export function judgeTimes(
  results: readonly Dated[],
  { milliseconds }: Answered,
  deadlineMs: number,
): Verdict[] {
  const dated = results.filter(({ fetchedAt }) => fetchedAt !== undefined && fetchedAt !== null);
  const ids = (those: readonly Dated[]): string[] => those.map(({ id }) => textOf(id));
  const isStale = (one: Dated): boolean => readAgoMs(one) > readingAgeMaxMs;
  const unread = dated.filter((one) => !isStale(one) && !isTimeTaken(one.fetchedAt));
  return [
    {
      rule: "fetched-at",
      level: "should",
      expected: "fetchedAt in every result",
      trouble: listed(
        ids(results.filter((one) => !dated.includes(one))).map((id) => `${id} has none`),
      ),
    },
    {
      rule: "time",
      level: "must",
      expected:
        "fetchedAt as 2026-01-31T10:00:00Z or with another zone, anything else is unavailable",
      trouble: listed(
        unread.map(({ id, fetchedAt }) => `${textOf(id)}: ${JSON.stringify(fetchedAt)}`),
      ),
    },
    {
      rule: "fresh",
      level: "must",
      expected: "nothing read more than a day ago, that is unavailable",
      trouble: listed(ids(dated.filter(isStale))),
    },
    {
      rule: "clock",
      level: "should",
      expected: "no fetchedAt in the future",
      trouble: listed(ids(dated.filter((one) => readAgoMs(one) < -aheadMaxMs))),
    },
    {
      rule: "deadline",
      level: "should",
      expected: `a reply within deadline_ms, ${deadlineMs}`,
      trouble: milliseconds > deadlineMs ? `${milliseconds} ms` : null,
    },
  ];
}

/** Returns NaN for an invalid time. */
const readAgoMs = ({ fetchedAt }: Dated): number =>
  typeof fetchedAt === "string" ? Date.now() - Date.parse(fetchedAt) : Number.NaN;
