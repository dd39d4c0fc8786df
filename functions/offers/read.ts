import { offersRequest } from "../../shared/items/offers-request.ts";
import { readOffers, type ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { itemReply, meteredCallOf } from "../http/item-reply.ts";
import { route } from "../http/route.ts";

/** `POST /v1/offers`. Reads the offers of listings (specification, section "POST /v1/offers"). */
export const readOffersRoute = route<ReadOffersDependencies, typeof offersRequest>({
  body: offersRequest,
  announced: ({ body }) => refuseAnnounced(body, "offers"),
  handle: async (call, dependencies) =>
    itemReply("retailer_a.offers", await readOffers(meteredCallOf(call, call.body), dependencies)),
});
