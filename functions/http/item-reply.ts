import type { ItemCounts } from "../../shared/items/envelope.ts";
import { creditFigures, itemFigures } from "../../shared/items/item-figures.ts";
import type { StepScraperId } from "../../shared/scrapers/catalogue.ts";
import type { Reply } from "./route.ts";

/** The answer to a call that charges per item, with what it cost and what is left. */
export const itemReply = (
  scraper: StepScraperId,
  {
    body,
    credits,
    balance,
    reserved,
  }: {
    readonly body: { readonly stats: ItemCounts };
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
