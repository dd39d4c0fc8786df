import type { StepScraperId } from "../../shared/scrapers/catalogue.ts";
import { textOf } from "./listed.ts";

/** What the run reads with one scraper. */
export interface Subject {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  /** Ids of items that exist; `<asin>:<offerListingId>` for offer checks. */
  readonly ids: readonly string[];
  /** An item that does not exist. */
  readonly unknownId: string | undefined;
  /** What the server says that it takes in a call; undefined where it says nothing. */
  readonly maxBatch: number | undefined;
}

/** How long an ordinary call may take. */
export const deadlineMs = 15_000;

/** Body of a call for the ids. */
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

/** The id that a result is about, as it is named to the run; an offer is known by both of its ids. */
export const idOfResult = (
  scraper: StepScraperId,
  { id, asin }: { readonly id?: unknown; readonly asin?: unknown },
): string =>
  scraper === "retailer_a.offer_check"
    ? `${textOf(asin) || "(no asin)"}:${textOf(id)}`
    : textOf(id);

/** What an id of an offer check names. */
export function offerOf(id: string): { readonly asin: string; readonly offerListingId: string } {
  const [asin = "", ...rest] = id.split(":");
  return { asin, offerListingId: rest.join(":") };
}
