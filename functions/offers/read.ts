import { offersRequest } from "../../shared/items/offers-request.ts";
import { readOffers, type ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";
import type { RouteKey } from "../routes.ts";

const endpoint: RouteKey = "POST /v1/offers";

/** `POST /v1/offers` (specification, same section). */
export const readRoute = route<ReadOffersDependencies, typeof offersRequest>({
  body: offersRequest,
  announced: ({ body }) => refuseAnnounced(body, "offers"),
  async handle({ body: request, caller, requestId, now, deadline, msToAnswer }, dependencies) {
    const { accountId } = caller;
    const call = { request, accountId, requestId, endpoint, now, deadline, msToAnswer };
    return itemReply("retailer_a.offers", await readOffers(call, dependencies));
  },
});
