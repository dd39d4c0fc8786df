import type { StepScraperId } from "../../shared/scrapers/catalog.ts";
import { textOf } from "./listed.ts";

/** A scraper, and the items that the check reads with it. */
export interface Subject {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  /** IDs of items that exist; `<asin>:<offerListingId>` for offer checks. */
  readonly ids: readonly string[];
  /** The ID of an item that does not exist; undefined to skip the checks with such an ID. */
  readonly unknownId: string | undefined;
  /** The declared maximum of items in a call; undefined if the server declares none. */
  readonly maxBatch: number | undefined;
}

/** The deadline of an ordinary call, in milliseconds. */
export const deadlineMs = 15_000;

/**
 * Returns the body of a `/read` call for the IDs.
 * @param withinMs the deadline of the call, in milliseconds
 */
export function readBody(
  { scraper, marketplace }: Pick<Subject, "scraper" | "marketplace">,
  ids: readonly string[],
  withinMs = deadlineMs,
): object {
  const head = { scraper, marketplace };
  const deadline = { deadline_ms: withinMs };
  if (scraper === "retailer_a.offer_check")
    return { ...head, offers: ids.map(offerOf), ...deadline };
  return {
    ...head,
    ids,
    ...(scraper === "retailer_a.offers" && { condition: "all" }),
    ...deadline,
  };
}

/**
 * Returns the ID of a result as users write it on the command line. For an offer, this is
 * `<asin>:<offerListingId>`.
 */
export const idOfResult = (
  scraper: StepScraperId,
  { id, asin }: { readonly id?: unknown; readonly asin?: unknown },
): string =>
  scraper === "retailer_a.offer_check"
    ? `${textOf(asin) || "(no asin)"}:${textOf(id)}`
    : textOf(id);

/**
 * Splits an ID of the form `<asin>:<offerListingId>` at the first colon. Without a colon, the
 * `offerListingId` is empty.
 */
export function offerOf(id: string): { readonly asin: string; readonly offerListingId: string } {
  const [asin = "", ...rest] = id.split(":");
  return { asin, offerListingId: rest.join(":") };
}
