import type * as v from "valibot";
import { itemOffersPath, itemOffersRequest } from "../../shared/items/offers-request.ts";
import { readOffers, type ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/** `GET /v1/products/{id}/offers` (specification, same section). */
export const offersRoute = route<
  ReadOffersDependencies,
  v.UndefinedSchema<undefined>,
  typeof itemOffersRequest
>({
  query: itemOffersRequest,
  path: itemOffersPath,
  isItemCall: true,
  async handle({ query, path, caller, requestId, now, deadline }, dependencies) {
    const { accountId } = caller;
    const request = { ...query, ids: [path["id"] ?? ""] };
    const call = { request, accountId, requestId, now, deadline };
    return itemReply(await readOffers(call, dependencies));
  },
});
