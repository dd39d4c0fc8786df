import type { StatusCounts } from "../../shared/items/envelope.ts";
import { creditMetrics, itemMetrics } from "../../shared/items/item-figures.ts";
import type { MeteredCall } from "../../shared/items/metered-read.ts";
import type { StepScraperId } from "../../shared/scrapers/catalogue.ts";
import type { Call, Reply } from "./route.ts";

/** The parameters of an item operation, from the call of its route. */
export const meteredCall = <Request>(
  { caller, requestId, routeKey, now, deadline, msToAnswer }: Call<unknown, unknown>,
  request: Request,
): MeteredCall & { readonly request: Request } => ({
  request,
  accountId: caller.accountId,
  requestId,
  endpoint: routeKey,
  now,
  deadline,
  msToAnswer,
});

/** The response to an item call, with its cost and the account's balance in headers. */
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
