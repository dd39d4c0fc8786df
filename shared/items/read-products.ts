import { assert } from "../base/assert.ts";
import { creditsFor } from "../credits/charge.ts";
import { scrapers, type ScraperId } from "../scrapers/catalog.ts";
import type { Answer, Scraper } from "../scrapers/scraper.ts";
import {
  chargedItems,
  countByStatus,
  productsEnvelope,
  type ProductsEnvelope,
} from "./envelope.ts";
import { type MeteredCall, meteredRead, type MeteredReadDependencies } from "./metered-read.ts";
import { presentProduct } from "./product.ts";
import type { ProductsRequest } from "./request.ts";

/** A call of `POST /v1/products`. */
export interface ProductsCall extends MeteredCall {
  readonly request: ProductsRequest;
}

export interface ReadProductsDependencies extends MeteredReadDependencies {
  readonly scraperFor: (scraper: ScraperId) => Scraper;
}

/** The response body of a products call, and the credits and balance that the call reports. */
export interface ProductsRead {
  readonly body: ProductsEnvelope;
  /** Credits charged for the call. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
  /** Credits held while the call ran. */
  readonly reserved: number;
}

/**
 * Reads products for an account: reserves the maximum cost, reads the products, and charges the
 * answers. A failure after the reservation refunds the whole reservation.
 * @throws before any read: 402 if the balance or `max_credits` is too low, 409 if the daily budget
 * is too low, 429 if no slot is free. Later: 400 if the response is too large to send; 503 if a
 * dependency fails or no time is left to respond; the errors of the scraper
 */
export async function readProducts(
  call: ProductsCall,
  dependencies: ReadProductsDependencies,
): Promise<ProductsRead> {
  const { request } = call;
  const { costQuarters } = scrapers[request.scraper];
  const work = {
    scraper: request.scraper,
    param: "ids" as const,
    items: request.ids.length,
    reserved: creditsFor(request.ids.length * costQuarters),
    cap: request,
    charge: (read: readonly Answer[]) =>
      creditsFor(chargedItems(countByStatus(read)) * costQuarters),
    read: () => readInOrder(call, dependencies),
    present: (answer: Answer) => presentProduct(request.scraper, answer),
  };
  const { answers, results, credits, balance, elapsedMs } = await meteredRead(
    call,
    work,
    dependencies,
  );
  const body = productsEnvelope(request, {
    results,
    counts: countByStatus(answers),
    elapsedMs,
    credits,
  });
  return { body, credits, balance, reserved: work.reserved };
}

/**
 * Reads the products.
 * @throws Error if the answers are not those of the request, in its order
 */
async function readInOrder(
  { request, deadline }: ProductsCall,
  { scraperFor }: ReadProductsDependencies,
): Promise<readonly Answer[]> {
  const { scraper, marketplace, ids } = request;
  const answers = await scraperFor(scraper).read({ scraper, marketplace, ids, deadline });
  const inOrder = answers.length === ids.length && answers.every(({ id }, n) => id === ids[n]);
  assert(inOrder, "a scraper must return every ID once, in the order of the request");
  return answers;
}
