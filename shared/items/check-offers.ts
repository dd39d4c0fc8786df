import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { creditsFor } from "../credits/charge.ts";
import type { OfferCheckAnswer, OfferChecker } from "../scrapers/scraper.ts";
import { type MeteredCall, meteredRead, type MeteredReadDependencies } from "./metered-read.ts";
import type { OfferCheckRequest } from "./offer-check-request.ts";
import { type OfferCheckResult, presentOfferCheck } from "./offer-check-result.ts";
import { type OfferReply, offerReply } from "./offer-envelope.ts";
import { offerCheckQuarters } from "./offer-prices.ts";

/** A call of `POST /v1/offers/check`. */
export interface OfferCheckCall extends MeteredCall {
  readonly request: OfferCheckRequest;
}

export interface CheckOffersDependencies extends MeteredReadDependencies {
  readonly offerCheckerFor: () => OfferChecker;
}

/**
 * Checks offers for an account: reserves the maximum cost, checks the offers, and charges the
 * answers with status `ok`. A failure after the reservation refunds the whole reservation.
 * @throws before any check: 402 if the balance or `max_credits` is too low, 409 if the daily budget
 * is too low, 429 if no slot is free. Later: 400 if the response is too large to send; 503 if a
 * dependency fails or no time is left to respond; the errors of the offer checker
 */
export async function checkOffers(
  call: OfferCheckCall,
  dependencies: CheckOffersDependencies,
): Promise<OfferReply<OfferCheckResult>> {
  const { request } = call;
  const work = {
    scraper: "retailer_a.offer_check" as const,
    param: "offers" as const,
    items: request.offers.length,
    reserved: creditsFor(request.offers.length * offerCheckQuarters),
    cap: request,
    charge: (answers: readonly OfferCheckAnswer[]) =>
      creditsFor(answers.filter(({ status }) => status === "ok").length * offerCheckQuarters),
    read: () => checkInOrder(call, dependencies),
    present: presentOfferCheck,
  };
  return offerReply(request, await meteredRead(call, work, dependencies));
}

/**
 * Checks the offers of the request.
 * @throws Error if the answers are not those of the request, in its order
 */
async function checkInOrder(
  { request: { marketplace, offers }, now, deadline: latest }: OfferCheckCall,
  { offerCheckerFor }: CheckOffersDependencies,
): Promise<readonly OfferCheckAnswer[]> {
  const usual = now.getTime() + limits.offerCheckDeadlineSeconds * 1_000;
  const deadline = new Date(Math.min(usual, latest.getTime()));
  const answers = await offerCheckerFor().checkOffers({ marketplace, offers, deadline });
  const inOrder =
    answers.length === offers.length &&
    answers.every(
      ({ asin, offerListingId }, n) =>
        asin === offers[n]?.asin && offerListingId === offers[n].offerListingId,
    );
  assert(inOrder, "a checker must return every offer once, in the order of the request");
  return answers;
}
