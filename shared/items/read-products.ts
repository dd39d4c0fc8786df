import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { concurrencyLimit, insufficientCredits } from "../base/errors.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Ledger } from "../credits/ledger.ts";
import { scrapers, type ScraperId } from "../scrapers/catalogue.ts";
import type { Answer, Scraper } from "../scrapers/scraper.ts";
import { chargedItems, countItems, productsEnvelope, type ProductsEnvelope } from "./envelope.ts";
import { presentProduct } from "./product.ts";
import type { ProductsRequest } from "./request.ts";

export interface ProductsCall {
  readonly request: ProductsRequest;
  readonly accountId: string;
  readonly requestId: string;
  /** When the call began. */
  readonly now: Date;
  /** When reading stops, so that there is time to settle and answer. */
  readonly deadline: Date;
}

export interface ReadProductsDependencies {
  readonly ledger: Pick<Ledger, "reserve" | "settle">;
  readonly scraperFor: (scraper: ScraperId) => Scraper;
  readonly clock: Clock;
}

export interface ProductsRead {
  readonly body: ProductsEnvelope;
  /** Credits charged for the call. */
  readonly credits: number;
  /** The account's balance after the call. */
  readonly balance: number;
}

/** How long after its deadline a call may still settle before its hold counts as abandoned. */
const settleMilliseconds = 60_000;

/**
 * Reads products for an account: reserves what all ids would cost, reads, and charges what was
 * answered. Whatever fails after the reservation gives all of it back.
 * @throws 402 and 429, before anything is read; and what the scraper throws.
 */
export async function readProducts(
  call: ProductsCall,
  dependencies: ReadProductsDependencies,
): Promise<ProductsRead> {
  const { request, accountId, requestId: holdId, now } = call;
  const { ledger, clock } = dependencies;
  const { costQuarters } = scrapers[request.scraper];
  await reserve(call, creditsFor(request.ids.length * costQuarters), ledger);
  const answers = await readOrRelease(call, dependencies);
  const counts = countItems(answers);
  const settled = await ledger.settle({
    accountId,
    holdId,
    credits: creditsFor(chargedItems(counts) * costQuarters),
    succeeded: true,
    now: clock.now(),
  });
  const body = productsEnvelope(request, {
    results: answers.map((answer) => presentProduct(request.scraper, answer)),
    counts,
    elapsedMs: clock.now().getTime() - now.getTime(),
    credits: settled.credits,
  });
  return { body, credits: settled.credits, balance: settled.balance };
}

async function reserve(
  { accountId, requestId, now, deadline }: ProductsCall,
  credits: number,
  ledger: Pick<Ledger, "reserve">,
): Promise<void> {
  const reserved = await ledger.reserve({
    accountId,
    holdId: requestId,
    credits,
    slot: true,
    source: { requestId },
    now,
    expiresAt: new Date(deadline.getTime() + settleMilliseconds),
  });
  if (reserved.outcome === "no_slot") throw concurrencyLimit(reserved.limit, reserved.balance);
  if (reserved.outcome === "insufficient") throw insufficientCredits(credits, reserved.balance);
}

async function readOrRelease(
  call: ProductsCall,
  { ledger, scraperFor, clock }: ReadProductsDependencies,
): Promise<readonly Answer[]> {
  const { request, accountId, requestId: holdId, deadline } = call;
  const { scraper, marketplace, ids } = request;
  try {
    const answers = await scraperFor(scraper).read({ scraper, marketplace, ids, deadline });
    const inOrder = answers.length === ids.length && answers.every(({ id }, n) => id === ids[n]);
    assert(inOrder, "a scraper answers every id once, in the order asked");
    return answers;
  } catch (error) {
    // What cannot be given back now is given back when the hold expires; the cause is what counts.
    await ledger
      .settle({ accountId, holdId, credits: 0, succeeded: false, now: clock.now() })
      .catch(() => undefined);
    throw error;
  }
}
