import { quantity } from "../../shared/base/quantity.ts";
import { readOffersRoute } from "../offers/read.ts";
import { listPlatformsRoute } from "../platforms/list.ts";
import { readProductsRoute } from "../products/read.ts";
import { maxCredits } from "./caps.ts";
import { lengthIn, objectIn } from "./summary.ts";
import type { JsonObject, Tool } from "./tool.ts";

const itemSummary = (result: JsonObject): string => {
  const { requested, ok, partial, notFound, unavailable } = objectIn(result, "stats");
  return (
    `${quantity(Number(requested), "item")}: ${Number(ok)} ok, ${Number(partial)} partial, ` +
    `${Number(notFound)} not found, ${Number(unavailable)} unavailable. ` +
    `Charged ${quantity(Number(result["credits"]), "credit")}.`
  );
};

const capText =
  "`max_credits` is required: if the call would reserve more, it is refused before anything is read.";

/** The tools that read platforms and items. */
export const itemTools: readonly Tool[] = [
  {
    name: "list_platforms",
    title: "List platforms",
    description:
      "Lists platforms, marketplaces, tiers, prices in credits per item, and the health of the sources. Free.",
    key: "GET /v1/platforms",
    route: listPlatformsRoute,
    summary: (result) => `${quantity(lengthIn(result, "data"), "platform")}.`,
  },
  {
    name: "read_products",
    title: "Read products",
    description:
      "Reads prices, stock and other data of products now, by item ID. Charges credits per item: see " +
      `list_platforms. ${capText} Items that could not be read are free.`,
    key: "POST /v1/products",
    route: readProductsRoute,
    required: ["ids"],
    cap: maxCredits,
    summary: itemSummary,
  },
  {
    name: "read_offers",
    title: "Read offers",
    description:
      "Reads the offers of all sellers for up to 100 items of retailer_a. Charges 1 credit for an item with at " +
      `most one offer, otherwise 3, and reserves 3 per item. ${capText}`,
    key: "POST /v1/offers",
    route: readOffersRoute,
    required: ["ids"],
    cap: maxCredits,
    summary: itemSummary,
  },
];
