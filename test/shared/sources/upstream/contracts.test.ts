import { describe } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import { scrapers } from "../../../../shared/scrapers/catalog.ts";
import { scraperIds } from "../../../support/scraper-ids.ts";
import { reservedIds } from "../../../../shared/scrapers/reserved-ids.ts";
import type { OfferReference } from "../../../../shared/scrapers/scraper.ts";
import { sandboxOfferChecker, sandboxOffers } from "../../../../shared/sources/sandbox/offers.ts";
import {
  upstreamScraper,
  upstreamOfferChecker,
  upstreamOffers,
} from "../../../../shared/sources/upstream/scraper.ts";
import {
  offerCheckerContract,
  type OfferCheckerSubject,
  offerScraperContract,
  type OfferScraperSubject,
} from "../../../contracts/offer-scraper.contract.ts";
import { scraperContract } from "../../../contracts/scraper.contract.ts";
import { startUpstream } from "./subject.ts";

const reserved = (platform: keyof typeof reservedIds, behavior: string): string => {
  const found = reservedIds[platform].find((one) => one.behavior === behavior);
  if (found === undefined) throw new Error(`No ID has the behavior ${behavior}`);
  return found.id;
};

describe.each(scraperIds)("with the scraper %s,", (scraperId) => {
  scraperContract("upstream", async () => {
    const { server, options, dependencies } = await startUpstream({ secret: "canary-3fa1" });
    const id = (behavior: string): string => reserved(scrapers[scraperId].platform, behavior);
    return {
      scraper: upstreamScraper(options, dependencies),
      scraperId,
      marketplace: "us",
      ids: {
        ok: ["steady", "price_changes_every_read", "sold_out"].map(id),
        partial: [id("always_partial")],
        not_found: [id("always_not_found")],
        unavailable: [id("always_unavailable")],
      },
      slowId: id("slow"),
      stop: () => server.close(),
    };
  });
});

const listings = {
  ids: {
    ok: ["B0SANDBOX0", "B0SANDBOXM", "B0SANDBOXN", "B0SANDBOXP"],
    not_found: ["B0SANDBOX7"],
    unavailable: ["B0SANDBOX6"],
  },
  slowId: "B0SANDBOX8",
} satisfies Partial<OfferScraperSubject>;

/** Options of the reference server's sandbox. */
const shop = { seed: "sandbox", clock: systemClock };

offerScraperContract("sandbox", async () => ({
  scraper: sandboxOffers(shop),
  ...listings,
  stop: async () => {},
}));

offerScraperContract("upstream", async () => {
  const { server, options, dependencies } = await startUpstream();
  return {
    scraper: upstreamOffers(options, dependencies),
    ...listings,
    stop: () => server.close(),
  };
});

/**
 * Returns offers of the sandbox for each result of a check. Reads the sandbox to find two offers
 * that are buyable.
 */
async function someOffers(): Promise<Pick<OfferCheckerSubject, "offers" | "slowOffer">> {
  const deadline = new Date(Date.now() + 1_000);
  const ids = ["B0SANDBOX0", "B0SANDBOXM"];
  const answers = await sandboxOffers(shop).readOffers({ marketplace: "us", ids, deadline });
  const shown = answers.flatMap((answer): OfferReference[] =>
    answer.status !== "ok"
      ? []
      : answer.offers
          .filter(({ isBuybox }) => isBuybox)
          .map(({ offerListingId }) => ({ asin: answer.id, offerListingId })),
  );
  const [first, second] = shown;
  if (first === undefined || second === undefined) throw new Error("The sandbox has no offers");
  return {
    offers: {
      buyable: shown,
      // The second of these offers has an offer ID that `buyable` has for another item, so one call
      // requests this offer ID for two items.
      gone: [
        { asin: first.asin, offerListingId: "no/such+id=" },
        { asin: first.asin, offerListingId: second.offerListingId },
        { asin: "B0SANDBOX7", offerListingId: first.offerListingId },
      ],
      unavailable: [{ asin: "B0SANDBOX6", offerListingId: first.offerListingId }],
    },
    slowOffer: { asin: "B0SANDBOX8", offerListingId: "any" },
  };
}

offerCheckerContract("sandbox", async () => ({
  checker: sandboxOfferChecker(shop),
  ...(await someOffers()),
  stop: async () => {},
}));

offerCheckerContract("upstream", async () => {
  const { server, options, dependencies } = await startUpstream();
  return {
    checker: upstreamOfferChecker(options, dependencies),
    ...(await someOffers()),
    stop: () => server.close(),
  };
});
