/**
 * Parses a reply with the service's own adapter, so that the check interprets the reply as the
 * service does.
 */
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { StepScraperId } from "../../shared/scrapers/catalog.ts";
import { totalOffersOf } from "../../shared/scrapers/scraper.ts";
import type { SourceReply } from "../../shared/sources/http/source-client.ts";
import { isProductScraper } from "../../shared/sources/upstream/contract.ts";
import type { UpstreamDependencies } from "../../shared/sources/upstream/exchange.ts";
import { parseUpstreamReply } from "../../shared/sources/upstream/reply.ts";
import {
  upstreamScraper,
  upstreamOfferChecker,
  upstreamOffers,
} from "../../shared/sources/upstream/scraper.ts";
import type { Answered } from "./exchange.ts";
import { offerOf } from "./read-call.ts";

/** The requested items of a call. */
export interface ReadRequest {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  /** The requested IDs without repetition. An offer check has `<asin>:<offerListingId>`. */
  readonly ids: readonly string[];
}

/** How the service interprets the server's reply about one ID. */
export interface AcceptedItem {
  readonly id: string;
  readonly status: "ok" | "partial" | "not_found" | "unavailable";
  /** The part of `data` that the service stores; undefined if it stores nothing. */
  readonly data: unknown;
  /**
   * For an item: true if the service counts it as found. For an offer: true if the service counts
   * it as buyable.
   */
  readonly isFound: boolean;
}

/**
 * Parses a reply with the adapter of the service. Returns the result that the service accepts for
 * each requested ID, in the order of the request. Returns null if the body is not a reply.
 */
export async function resultsToStore(
  { headers, body }: Pick<Answered, "headers" | "body">,
  asked: ReadRequest,
): Promise<readonly AcceptedItem[] | null> {
  const reply = { kind: "answered", status: 200, headers: new Map(headers), body } as const;
  if (parseUpstreamReply(reply, ({ id }) => id, systemClock.now()) === null) return null;
  return read(asked, {
    client: { send: async () => reply },
    clock: systemClock,
    random: systemRandom,
    note: () => {},
  });
}

/**
 * Milliseconds until the deadline of a read. The reply has already arrived, so the read ends long
 * before the deadline.
 */
const readingMs = 60_000;

async function read(
  { scraper, marketplace, ids }: ReadRequest,
  dependencies: UpstreamDependencies,
): Promise<AcceptedItem[]> {
  const options = { baseUrl: "http://localhost", batchIdsMax: ids.length, callsAtOnceMax: 1 };
  const deadline = new Date(dependencies.clock.now().getTime() + readingMs);
  if (isProductScraper(scraper)) {
    const source = upstreamScraper(options, dependencies);
    const answers = await source.read({ scraper, marketplace, ids, deadline });
    return answers.map((answer) => {
      const data = "fields" in answer ? answer.fields : undefined;
      return { id: answer.id, status: answer.status, data, isFound: data !== undefined };
    });
  }
  if (scraper === "retailer_a.offers") {
    const source = upstreamOffers(options, dependencies);
    const answers = await source.readOffers({ marketplace, ids, deadline });
    return answers.map((answer) => {
      const { id, status } = answer;
      if (answer.status !== "ok") return { id, status, data: undefined, isFound: false };
      const data = { totalOffers: totalOffersOf(answer), offers: answer.offers };
      return { id, status, data, isFound: true };
    });
  }
  const source = upstreamOfferChecker(options, dependencies);
  const answers = await source.checkOffers({ marketplace, offers: ids.map(offerOf), deadline });
  return answers.map((answer, n) => {
    const { status } = answer;
    const data = answer.status === "ok" ? { buyable: answer.buyable } : undefined;
    return { id: ids[n] ?? "", status, data, isFound: data?.buyable === true };
  });
}

/**
 * Returns true if the service currently accepts a result with this read time. The service refuses
 * an invalid time, and a time more than a day ago.
 * @param fetchedAt The value that the server sent, of any type.
 */
export function isTimeAccepted(fetchedAt: unknown): boolean {
  const results = [{ id: "1", status: "not_found", fetchedAt }];
  const reply: Extract<SourceReply, { kind: "answered" }> = {
    kind: "answered",
    status: 200,
    headers: new Map(),
    body: Buffer.from(JSON.stringify({ results })),
  };
  const entries = parseUpstreamReply(reply, ({ id }) => id, systemClock.now());
  return entries?.get("1")?.status === "not_found";
}
