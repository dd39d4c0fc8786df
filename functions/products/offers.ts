import type * as v from "valibot";
import { itemOffersRequest, parsePathId } from "../../shared/items/offers-request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { readOffers, type ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import { itemReply, meteredCallOf } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/**
 * `GET /v1/products/{id}/offers`. Reads the offers of one listing (specification, section "GET
 * /v1/products/{id}/offers").
 */
export const readItemOffersRoute = route<
  ReadOffersDependencies,
  v.UndefinedSchema<undefined>,
  typeof itemOffersRequest
>({
  query: itemOffersRequest,
  announced: ({ query }) => refuseAnnounced(query, "offers"),
  check: ({ query, path }) => void parsePathId(query.platform, path["id"] ?? ""),
  async handle(call, dependencies) {
    const { platform } = call.query;
    const ids = [parsePathId(platform, call.path["id"] ?? "")];
    const request = { ...call.query, ids };
    return itemReply(
      "retailer_a.offers",
      await readOffers(meteredCallOf(call, request), dependencies),
    );
  },
});
