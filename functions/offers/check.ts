import { checkOffers, type CheckOffersDependencies } from "../../shared/items/check-offers.ts";
import { offerCheckRequest } from "../../shared/items/offer-check-request.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { itemReply, meteredCallOf } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/**
 * `POST /v1/offers/check`. Checks whether exact offers can be bought now (specification, section
 * "POST /v1/offers/check").
 */
export const checkOffersRoute = route<CheckOffersDependencies, typeof offerCheckRequest>({
  body: offerCheckRequest,
  announced: ({ body }) => refuseAnnounced(body, "offer_check"),
  handle: async (call, dependencies) =>
    itemReply(
      "retailer_a.offer_check",
      await checkOffers(meteredCallOf(call, call.body), dependencies),
    ),
});
