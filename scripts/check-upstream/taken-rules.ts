/** Checks which results of a server's reply the service accepts, rejects or downgrades. */
import * as v from "valibot";
import type { Difference } from "./difference.ts";
import { formatDifference, brief } from "./difference.ts";
import type { Verdict } from "./finding.ts";
import { joinTroubles, textOf } from "./listed.ts";
import type { ReadRequest, AcceptedItem } from "./taken.ts";
import { offerSchema } from "../../shared/scrapers/offer.ts";
import { readShape } from "../../shared/sources/upstream/shape.ts";

/** The server's result for a requested ID, and the result that the service takes from it. */
export interface ReplyResult {
  /** The `status` that the server sent. */
  readonly sent: unknown;
  /** The `data` that the server sent. */
  readonly data: unknown;
  readonly taken: AcceptedItem;
}

/**
 * Returns true if the server reported the item as found: its `status` has the value for complete or
 * partial data.
 */
export const isSentFound = ({ sent }: Pick<ReplyResult, "sent">): boolean =>
  sent === "ok" || sent === "partial";

/**
 * Checks the rules whose violation makes the service reject or downgrade a result. Returns one
 * verdict for each rule, including rules that hold.
 * @param replyResults Each requested ID, with the result that the server sent and the result that
 * the service accepts.
 */
export function judgeResults(
  replyResults: readonly ReplyResult[],
  taken: readonly AcceptedItem[],
  asked: Pick<ReadRequest, "scraper">,
): Verdict[] {
  const lost = replyResults.filter((one) => isSentFound(one) && one.taken.status === "unavailable");
  const lacking = replyResults.filter((one) => one.sent === "ok" && one.taken.status === "partial");
  const causesOf = ({ data }: ReplyResult): string[] =>
    asked.scraper === "retailer_a.offers" ? unreadOffers(data).slice(0, 1) : [];
  return [
    {
      rule: "taken",
      level: "must",
      expected:
        "readable data in every result that is reported as found, and only valid fields in its offers (otherwise the result counts as unavailable)",
      trouble: joinTroubles(
        lost.map((one) =>
          [`${one.taken.id} reports ${textOf(one.sent)}`, ...causesOf(one)].join(" with "),
        ),
      ),
    },
    {
      rule: "promise",
      level: "must",
      expected:
        "ok only with title, stock and price (for pulse: newCount and newMinPrice), otherwise partial",
      trouble: joinTroubles(lacking.map((one) => one.taken.id)),
    },
    judgeFound(taken, asked),
  ];
}

/** Returns a warning if no item was found. This can be correct, but then no data was checked. */
function judgeFound(
  taken: readonly AcceptedItem[],
  { scraper }: Pick<ReadRequest, "scraper">,
): Verdict {
  const isCheck = scraper === "retailer_a.offer_check";
  const words = taken.map(({ status }) => (isCheck && status === "ok" ? "not buyable" : status));
  const counts = [...new Set(words)].map(
    (word) => `${words.filter((one) => one === word).length} ${word}`,
  );
  return {
    rule: "found",
    level: "must",
    expected: isCheck
      ? "at least one of the named offers buyable (name offers that can be bought now)"
      : "at least one of the named IDs found, ok or partial (name items that exist)",
    trouble: taken.some(({ isFound }) => isFound) ? null : counts.join(", "),
  };
}

/**
 * Checks the rules about values that the service drops or changes. Returns one verdict for each
 * rule, including rules that hold.
 * @param differences The dropped and changed values of all results.
 */
export function judgeDifferences(differences: readonly Difference[]): Verdict[] {
  const those = (kind: Difference["kind"]): string | null =>
    joinTroubles(differences.filter((one) => one.kind === kind).map(formatDifference));
  return [
    {
      rule: "dropped",
      level: "should",
      expected:
        "every field in a valid form, otherwise it counts as missing (complete https:// links, " +
        "also for every image; no empty strings; no prices of 0)",
      trouble: those("dropped"),
    },
    {
      rule: "changed",
      level: "should",
      expected:
        "values that the service stores unchanged (strings of one line within the limits, two decimals, " +
        "one buy box, each offer once, totalOffers not below the number of offers)",
      trouble: those("changed"),
    },
  ];
}

const listing = v.object({ offers: v.array(v.record(v.string(), v.unknown())) });

/**
 * Returns the invalid fields that make the service reject an offer listing, such as
 * `offers.0.price: -5`.
 */
function unreadOffers(data: unknown): string[] {
  if (!v.is(listing, data)) return [];
  return data.offers.flatMap((offer, n) =>
    Object.entries<v.GenericSchema>(offerSchema.entries)
      .filter(([name, schema]) => !v.is(schema, readShape(schema, offer[name], name)))
      .map(([name]) => `offers.${n}.${name}: ${brief(offer[name])}`),
  );
}
