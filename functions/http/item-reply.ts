import type { StatusCounts } from "../../shared/items/envelope.ts";
import { creditFigures, itemFigures } from "../../shared/items/item-figures.ts";
import type { MeteredCall } from "../../shared/items/metered-read.ts";
import type { StepScraperId } from "../../shared/scrapers/catalogue.ts";
import type { Call, Reply } from "./route.ts";

/** A call to an item route, as the work behind it takes the call. */
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

/** The answer to a call that charges per item, with what it cost and what is left. */
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
  figures: [
    itemFigures(scraper, body.stats),
    creditFigures(scraper, { reserved, charged: credits }),
  ],
});
