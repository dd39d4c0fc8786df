import type { Clock } from "../../shared/base/clock.ts";
import type { StepSources } from "../../shared/runs/read-step.ts";
import type { ScraperId } from "../../shared/scrapers/catalog.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OfferReference,
  OffersAnswer,
} from "../../shared/scrapers/scraper.ts";

/** The sources' answers. A test may change them between runs. */
export interface ScriptedAnswers {
  product: (id: string, scraper: ScraperId) => Partial<Answer> & Pick<Answer, "status">;
  offers: (id: string) => Partial<OffersAnswer> & Pick<OffersAnswer, "status">;
  check: (offer: OfferReference) => Partial<OfferCheckAnswer> & Pick<OfferCheckAnswer, "status">;
}

/** Creates sources with scripted answers. Every answer is `unavailable` until a test sets it. */
export function scriptedSources(clock: Clock): {
  readonly sources: StepSources;
  readonly answers: ScriptedAnswers;
  reads: () => number;
} {
  let reads = 0;
  const answers: ScriptedAnswers = {
    product: () => ({ status: "unavailable" }),
    offers: () => ({ status: "unavailable" }),
    check: () => ({ status: "unavailable" }),
  };
  const fetchedAt = (): string => {
    reads += 1;
    return clock.now().toISOString();
  };
  const sources: StepSources = {
    scraperFor: () => ({
      async read({ ids, scraper }) {
        const at = fetchedAt();
        return ids.map(
          (id) => ({ id, fetchedAt: at, fields: {}, ...answers.product(id, scraper) }) as Answer,
        );
      },
    }),
    offerScraperFor: () => ({
      async readOffers({ ids }) {
        const at = fetchedAt();
        return ids.map((id) => ({ id, fetchedAt: at, ...answers.offers(id) }) as OffersAnswer);
      },
    }),
    offerCheckerFor: () => ({
      async checkOffers({ offers }) {
        const at = fetchedAt();
        return offers.map(
          (offer) => ({ ...offer, fetchedAt: at, ...answers.check(offer) }) as OfferCheckAnswer,
        );
      },
    }),
  };
  return { sources, answers, reads: () => reads };
}
