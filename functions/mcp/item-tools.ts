import { quantity } from "../../shared/base/quantity.ts";
import { readOffersRoute } from "../offers/read.ts";
import { listPlatformsRoute } from "../platforms/list.ts";
import { readProductsRoute } from "../products/read.ts";
import { requireCap } from "./caps.ts";
import type { JsonObject, Tool } from "./tool.ts";

/** Returns a field of a result that is an object; an empty object if it is not. */
export const objectIn = (result: JsonObject, name: string): JsonObject => {
  const value = result[name];
  return typeof value === "object" && value !== null ? { ...value } : {};
};

/** Returns the number of entries of a list in a result. */
export const lengthIn = (result: JsonObject, name: string): number => {
  const value = result[name];
  return Array.isArray(value) ? value.length : 0;
};

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
    required: ["ids", "max_credits"],
    check: requireCap("max_credits"),
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
    required: ["ids", "max_credits"],
    check: requireCap("max_credits"),
    summary: itemSummary,
  },
];
