import type { RouteKey } from "../../../functions/routes.ts";
import { offerCheckResponse } from "../../../shared/items/offer-check-result.ts";
import { itemOffersQuery } from "../../../shared/items/offers-request.ts";
import { productsResponse } from "../../../shared/items/envelope.ts";
import { offersResponse } from "../../../shared/items/offers-result.ts";
import {
  offerCheckEnvelope,
  offerListingId,
  offersEnvelope,
  productsEnvelope,
} from "../../../tools/documents/examples/items.ts";
import { offerCheckBodies, offersBodies, productsBodies } from "../bodies/products.ts";
import { anyOf } from "../named-bodies.ts";
import type { Operation } from "../operation.ts";

const oneSlot = "One concurrency slot.";

export const itemOperations = {
  "POST /v1/products": {
    id: "readProducts",
    tag: "Items",
    summary: "Read products",
    description:
      "One result per unique id, in the order of the request, each with a `status`. `ok` and " +
      "`not_found` are charged; `partial` and `unavailable` are refunded. Prices per item and how " +
      "many IDs a call may hold are in `GET /v1/platforms`; what a call costs is rounded up " +
      "once.\n\n" +
      "An item that could not be read is never an error: it is `unavailable` in a 200 and may be " +
      "read again later.\n\n" +
      `Allow 300 seconds. ${oneSlot}`,
    body: {
      schema: anyOf(productsBodies),
      examples: {
        retailer_d: { platform: "retailer_d", ids: ["9000001", "9000007"] },
        retailer_a: { platform: "retailer_a", tier: "lite", ids: ["B0SANDBOX0"] },
        retailer_b: { platform: "retailer_b", ids: ["9000000"] },
        retailer_c: { platform: "retailer_c", ids: ["9000000"] },
      },
    },
    answers: {
      200: {
        description: "One result per unique id, in the order of the request.",
        schema: productsResponse,
        example: productsEnvelope,
      },
    },
    itemCall: true,
  },
  "POST /v1/offers": {
    id: "readOffers",
    tag: "Items",
    summary: "Read the offers of listings",
    description:
      "1 credit for a listing with one offer or none and for `not_found`, 3 for one with more; " +
      "`unavailable` is refunded. 3 per id are reserved up front.\n\n" +
      "The featured offer comes first, then the cheapest, 31 per listing at most; `condition` " +
      "filters those. Live on retailer_a, marketplace us.\n\n" +
      `Allow 180 seconds. ${oneSlot}`,
    body: {
      schema: anyOf(offersBodies),
      examples: { new: { platform: "retailer_a", ids: ["B0SANDBOX0"], condition: "new" } },
    },
    answers: {
      200: {
        description: "One result per unique id, in the order of the request.",
        schema: offersResponse,
        example: offersEnvelope,
      },
    },
    itemCall: true,
  },
  "GET /v1/products/{id}/offers": {
    id: "readItemOffers",
    tag: "Items",
    summary: "Read the offers of one listing",
    description: "The same answer and price as `POST /v1/offers` with one id.",
    path: { id: { description: "Item id.", example: "B0SANDBOX0" } },
    query: itemOffersQuery,
    answers: {
      200: { description: "One result.", schema: offersResponse, example: offersEnvelope },
    },
    itemCall: true,
  },
  "POST /v1/offers/check": {
    id: "checkOffers",
    tag: "Items",
    summary: "Check whether exact offers can be bought now",
    description:
      "0.5 credits per offer answered, rounded up once per call; `unavailable` is refunded. Yes or " +
      "no only: `buyable` is false without a reason, and there is no price.\n\n" +
      "Send `asin` and `offerListingId` exactly as an answer returned them. Live on retailer_a, " +
      `marketplace us.\n\nAllow 120 seconds. ${oneSlot}`,
    body: {
      schema: anyOf(offerCheckBodies),
      examples: { offer: { offers: [{ asin: "B0SANDBOX0", offerListingId }] } },
    },
    answers: {
      200: {
        description: "One result per unique offer, in the order of the request.",
        schema: offerCheckResponse,
        example: offerCheckEnvelope,
      },
    },
    itemCall: true,
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
