import type { StatusCounts } from "../../shared/items/envelope.ts";
import { creditMetrics, itemMetrics } from "../../shared/items/item-metrics.ts";
import type { MeteredCall } from "../../shared/items/metered-read.ts";
import type { StepScraperId } from "../../shared/scrapers/catalog.ts";
import type { Call, Reply } from "./route.ts";

/**
 * Returns the parameters of a call that charges credits, from the call of a route.
 * @param request the parsed body or query of the call
 */
export const meteredCallOf = <Request>(
  { caller, requestId, routeKey, now, deadline, msToAnswer }: Call<unknown, unknown>,
  request: Request,
): MeteredCall & { readonly request: Request } => ({
  request,
  accountId: caller.accountId,
  apiKeyId: caller.keyId,
  requestId,
  endpoint: routeKey,
  now,
  deadline,
  msToAnswer,
});

/**
 * Returns the response 200 to an item call. Its headers have the charged credits and the account's
 * balance. Its metrics have the counts of items and the credits.
 * @param result.credits the credits that the call charged
 * @param result.balance the balance after the charge, in credits
 * @param result.reserved the credits that the call reserved before its reads
 */
export const itemReply = (
  scraper: StepScraperId,
  {
    body,
    credits,
    balance,
    reserved,
  }: {
    readonly body: { readonly stats: StatusCounts };
    readonly credits: number;
    readonly balance: number;
    readonly reserved: number;
  },
): Reply => ({
  status: 200,
  body,
  headers: { "X-Service-Credits": String(credits), "X-Service-Balance": String(balance) },
  metrics: [
    itemMetrics(scraper, body.stats),
    creditMetrics(scraper, { reserved, charged: credits }),
  ],
});
