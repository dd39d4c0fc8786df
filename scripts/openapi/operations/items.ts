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

export const itemOperations = {
  "POST /v1/products": {
    id: "readProducts",
    tag: "Items",
    summary: "Read products",
    description:
      "Reads items of one platform and returns one result per unique ID, in the order of the " +
      "request. `ok` and `not_found` are charged; `partial` and `unavailable` are refunded. " +
      "`GET /v1/platforms` lists the price of an item and the number of IDs per call. The " +
      "service rounds up the price of a call once.\n\nAn item that the service could not read is " +
      "not an error: its result is `unavailable` in a 200. Read it again later.\n\nSet a timeout " +
      "of 300 seconds. The call takes one concurrency slot.",
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
        description: "One result per unique ID, in the order of the request.",
        schema: productsResponse,
        example: productsEnvelope,
      },
    },
    itemCall: true,
  },
  "POST /v1/products/sandbox": {
    id: "readSandboxProducts",
    tag: "Items",
    summary: "Try the products call with sandbox items",
    description:
      "Returns what `POST /v1/products` returns for items of the [sandbox](/docs/sandbox), free of " +
      "charge and without a concurrency slot. Any key can call it, even the key of the demo workspace. " +
      "Other items are refused with 400.",
    body: {
      schema: anyOf(productsBodies),
      examples: {
        retailer_d: { platform: "retailer_d", ids: ["9000001", "9000007"] },
        retailer_a: { platform: "retailer_a", tier: "lite", ids: ["B0SANDBOX0"] },
      },
    },
    answers: {
      200: {
        description: "One result per unique ID, in the order of the request.",
        schema: productsResponse,
        example: { ...productsEnvelope, credits: 0 },
      },
    },
    refusals: [501],
  },
  "POST /v1/offers": {
    id: "readOffers",
    tag: "Items",
    summary: "Read the offers of listings",
    description:
      "Reads the offers of listings. A listing with at most one offer costs 1 credit, as does " +
      "`not_found`; a listing with more offers costs 3. `unavailable` is refunded. The call " +
      "reserves 3 credits per ID.\n\nThe featured offer comes first, then the cheapest, at most " +
      "31 per listing. `condition` filters them. Available for retailer_a, marketplace us.\n\nSet " +
      "a timeout of 180 seconds. The call takes one concurrency slot.",
    body: {
      schema: anyOf(offersBodies),
      examples: { new: { platform: "retailer_a", ids: ["B0SANDBOX0"], condition: "new" } },
    },
    answers: {
      200: {
        description: "One result per unique ID, in the order of the request.",
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
    description: "Returns the same response at the same price as `POST /v1/offers` with one ID.",
    path: { id: { description: "Item ID of the platform.", example: "B0SANDBOX0" } },
    query: itemOffersQuery,
    answers: {
      200: {
        description: "The offers of the listing.",
        schema: offersResponse,
        example: offersEnvelope,
      },
    },
    itemCall: true,
  },
  "POST /v1/offers/check": {
    id: "checkOffers",
    tag: "Items",
    summary: "Check whether exact offers can be bought now",
    description:
      "Checks whether exact offers can be bought now, at 0.5 credits per offer with the status ok, " +
      "rounded up once per call. `unavailable` is refunded. The response has only `buyable`: no " +
      "reason and no price.\n\nSend `asin` and `offerListingId` exactly as a response returned " +
      "them. Available for retailer_a, marketplace us.\n\nSet a timeout of 120 seconds. The call " +
      "takes one concurrency slot.",
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
