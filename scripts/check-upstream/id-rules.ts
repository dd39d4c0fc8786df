/** Checks the IDs in the results of a reply. */
import type { Verdict } from "./finding.ts";
import { joinTroubles, textOf } from "./listed.ts";
import { idOfResult, offerOf } from "./read-call.ts";
import type { ReadRequest } from "./taken.ts";

interface Named {
  readonly id?: unknown;
  readonly asin?: unknown;
}

/**
 * Checks the IDs in the results of a reply. Returns one verdict for each rule, including rules that
 * hold.
 * @param results The results as the server sent them.
 * @param request The scraper and the requested IDs.
 */
export function judgeIds(
  results: readonly Named[],
  { scraper, ids }: Pick<ReadRequest, "scraper" | "ids">,
): Verdict[] {
  const answered = results.map((one) => idOfResult(scraper, one));
  const asked = new Set(ids);
  const missing = ids.filter((id) => !answered.includes(id));
  const verdicts: Verdict[] = [
    {
      rule: "every-id",
      level: "should",
      expected: "a result for every requested ID, even if its status is unavailable",
      trouble: joinTroubles(missing.map((id) => `${id} is missing`)),
    },
    {
      rule: "asked-only",
      level: "should",
      expected: "no results for IDs that were not requested",
      trouble: joinTroubles(answered.filter((id) => !asked.has(id))),
    },
    {
      rule: "once",
      level: "should",
      expected: "one result for each ID (the service uses the first of several)",
      trouble: joinTroubles(answered.filter((id, n) => asked.has(id) && answered.indexOf(id) < n)),
    },
  ];
  return scraper === "retailer_a.offer_check"
    ? [
        ...verdicts,
        judgeAsins(
          missing,
          results.filter((one) => !asked.has(idOfResult(scraper, one))),
        ),
      ]
    : verdicts;
}

/** Checks that each requested offer has a result with the requested ASIN. */
function judgeAsins(missing: readonly string[], others: readonly Named[]): Verdict {
  const strays = missing.flatMap((id) => {
    const stray = others.find((one) => textOf(one.id) === offerOf(id).offerListingId);
    return stray === undefined ? [] : [`${id} with ${textOf(stray.asin) || "none"}`];
  });
  return {
    rule: "asin",
    level: "must",
    expected: "the requested asin in the result of an offer (otherwise it counts as unavailable)",
    trouble: joinTroubles(strays),
  };
}
