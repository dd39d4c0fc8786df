/**
 * What the service's own adapter makes of a reply: the judge of what a server's results are worth.
 * The reply that was seen is given to the adapter again, so that no rule reads it in a second way.
 */
import { systemChance, systemClock } from "../../shared/base/system.ts";
import type { StepScraperId } from "../../shared/scrapers/catalogue.ts";
import { totalOffersOf } from "../../shared/scrapers/scraper.ts";
import type { SourceReply } from "../../shared/sources/http/source-client.ts";
import { isProductScraper } from "../../shared/sources/upstream/contract.ts";
import type { UpstreamDependencies } from "../../shared/sources/upstream/exchange.ts";
import { parseUpstreamReply } from "../../shared/sources/upstream/reply.ts";
import {
  upstream,
  upstreamOfferChecker,
  upstreamOffers,
} from "../../shared/sources/upstream/scraper.ts";
import type { Answered } from "./exchange.ts";
import { offerOf } from "./read-call.ts";

export interface Asked {
  readonly scraper: StepScraperId;
  readonly marketplace: string;
  /** Each once; `<asin>:<offerListingId>` for offer checks. */
  readonly ids: readonly string[];
}

/** What the service would go on with for one id. */
export interface Taken {
  readonly id: string;
  readonly status: "ok" | "partial" | "not_found" | "unavailable";
  /** `data` as far as it is taken; undefined where nothing is. */
  readonly data: unknown;
  /** The item exists, or the offer can be bought. */
  readonly isFound: boolean;
}

/** One for every id, in their order; null when the whole is no reply. */
export async function takenFrom(
  { headers, body }: Pick<Answered, "headers" | "body">,
  asked: Asked,
): Promise<readonly Taken[] | null> {
  const reply = { kind: "answered", status: 200, headers: new Map(headers), body } as const;
  if (parseUpstreamReply(reply, ({ id }) => id, systemClock.now()) === null) return null;
  return read(asked, {
    client: { send: async () => reply },
    clock: systemClock,
    chance: systemChance,
    note: () => {},
  });
}

/** Any moment that is not over; the reply is there already. */
const readingMs = 60_000;

async function read(
  { scraper, marketplace, ids }: Asked,
  dependencies: UpstreamDependencies,
): Promise<Taken[]> {
  const options = { baseUrl: "http://localhost", batchIdsMax: ids.length, callsAtOnceMax: 1 };
  const deadline = new Date(dependencies.clock.now().getTime() + readingMs);
  if (isProductScraper(scraper)) {
    const source = upstream(options, dependencies);
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

/** Whether the service takes a result that was read then. */
export function isTimeTaken(fetchedAt: unknown): boolean {
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
