import type * as v from "valibot";
import { itemOffersRequest, parsePathId } from "../../shared/items/offers-request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { readOffers, type ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";
import type { RouteKey } from "../routes.ts";

const endpoint: RouteKey = "GET /v1/products/{id}/offers";

/** `GET /v1/products/{id}/offers` (specification, same section). */
export const offersRoute = route<
  ReadOffersDependencies,
  v.UndefinedSchema<undefined>,
  typeof itemOffersRequest
>({
  query: itemOffersRequest,
  announced: ({ query }) => refuseAnnounced(query, "offers"),
  check: ({ query, path }) => void parsePathId(query.platform, path["id"] ?? ""),
  async handle({ query, path, caller, requestId, now, deadline, msToAnswer }, dependencies) {
    const { accountId } = caller;
    const { platform, marketplace, condition } = query;
    const ids = [parsePathId(platform, path["id"] ?? "")];
    const request = { platform, marketplace, condition, ids };
    const call = { request, accountId, requestId, endpoint, now, deadline, msToAnswer };
    return itemReply("retailer_a.offers", await readOffers(call, dependencies));
  },
});
