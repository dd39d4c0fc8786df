import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { creditsFor } from "../credits/charge.ts";
import type { OffersAnswer, OfferScraper } from "../scrapers/scraper.ts";
import { type MeteredCall, meteredRead, type MeteredReadDependencies } from "./metered-read.ts";
import { type OfferReply, offerReply } from "./offer-envelope.ts";
import { offersQuarters, quartersFor } from "./offer-prices.ts";
import type { OffersRequest } from "./offers-request.ts";
import { type OffersResult, presentOffers } from "./offers-result.ts";

/** A call of an offers endpoint. */
export interface OffersCall extends MeteredCall {
  readonly request: OffersRequest;
}

export interface ReadOffersDependencies extends MeteredReadDependencies {
  readonly offerScraperFor: () => OfferScraper;
}

/**
 * Reads offers for an account: reserves, for every ID, the price of a listing with several offers,
 * and charges the price of each answer. A failure after the reservation refunds the whole
 * reservation.
 * @throws before any read: 402 if the balance or `max_credits` is too low, 409 if the daily budget
 * is too low, 429 if no slot is free. Later: 400 if the response is too large to send; 503 if a
 * dependency fails or no time is left to respond; the errors of the scraper
 */
export async function readOffers(
  call: OffersCall,
  dependencies: ReadOffersDependencies,
): Promise<OfferReply<OffersResult>> {
  const { request } = call;
  const work = {
    scraper: "retailer_a.offers" as const,
    param: "ids" as const,
    items: request.ids.length,
    reserved: creditsFor(request.ids.length * offersQuarters.many),
    cap: request,
    charge: (answers: readonly OffersAnswer[]) =>
      creditsFor(answers.reduce((sum, answer) => sum + quartersFor(answer), 0)),
    read: () => readInOrder(call, dependencies),
    present: (answer: OffersAnswer) => presentOffers(answer, request.condition),
  };
  return offerReply(request, await meteredRead(call, work, dependencies));
}

/**
 * Reads the offers.
 * @throws Error if the answers are not those of the request, in its order
 */
async function readInOrder(
  { request: { marketplace, ids }, now, deadline: latest }: OffersCall,
  { offerScraperFor }: ReadOffersDependencies,
): Promise<readonly OffersAnswer[]> {
  const usual = now.getTime() + limits.offersDeadlineSeconds * 1_000;
  const deadline = new Date(Math.min(usual, latest.getTime()));
  const answers = await offerScraperFor().readOffers({ marketplace, ids, deadline });
  const inOrder = answers.length === ids.length && answers.every(({ id }, n) => id === ids[n]);
  assert(inOrder, "a scraper must return every ID once, in the order of the request");
  return answers;
}
