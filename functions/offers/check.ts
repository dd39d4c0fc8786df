import { checkOffers, type CheckOffersDependencies } from "../../shared/items/check-offers.ts";
import { offerCheckRequest } from "../../shared/items/offer-check-request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { itemReply } from "../http/item-reply.ts";
import { route } from "../http/route.ts";
import type { RouteKey } from "../routes.ts";

const endpoint: RouteKey = "POST /v1/offers/check";

/** `POST /v1/offers/check` (specification, same section). */
export const checkRoute = route<CheckOffersDependencies, typeof offerCheckRequest>({
  body: offerCheckRequest,
  announced: ({ body }) => refuseAnnounced(body, "offer_check"),
  async handle({ body: request, caller, requestId, now, deadline, msToAnswer }, dependencies) {
    const { accountId } = caller;
    const call = { request, accountId, requestId, endpoint, now, deadline, msToAnswer };
    return itemReply("retailer_a.offer_check", await checkOffers(call, dependencies));
  },
});
