import * as v from "valibot";
import type { RouteKey } from "../../../functions/routes.ts";
import { platformsResponse, presentPlatforms } from "../../../shared/platforms/present-platform.ts";
import { presentStructured, structuredResponse } from "../../../shared/platforms/structured.ts";
import type { Operation } from "../operation.ts";

const wholeNumber = (minimum: number, maximum: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum)));

/** Parameters of structured endpoints; `GET /v1/structured` says which endpoint takes which. */
const structuredParameters = v.object({
  query: v.optional(
    v.pipe(v.string(), v.description("What to search for; required for searches.")),
  ),
  page: wholeNumber(1, 100),
  num: wholeNumber(10, 100),
  country: v.optional(v.string()),
  language: v.optional(v.string()),
  product_id: v.optional(v.string()),
  item_id: v.optional(v.string()),
});

const structuredPath = {
  platform: { description: "A platform.", example: "retailer_a" },
  kind: { description: "search, product, reviews or category.", example: "search" },
};
const structured = {
  tag: "Structured",
  description: "Announced: answers 501 and charges nothing. Will cost 5 credits a call.",
  path: structuredPath,
  answers: {},
  refusals: [402, 404, 501, 502],
} as const;

export const platformOperations = {
  "GET /v1/platforms": {
    id: "listPlatforms",
    tag: "Platforms",
    summary: "List platforms",
    description:
      "Platforms with their marketplaces, endpoints, tiers and prices. What is `coming_soon` " +
      "answers 501.",
    answers: {
      200: {
        description: "Every platform, the announced ones last.",
        schema: platformsResponse,
        example: { object: "list", data: presentPlatforms().data.slice(-1) },
      },
    },
  },
  "GET /v1/structured": {
    id: "listStructuredEndpoints",
    tag: "Structured",
    summary: "List structured endpoints",
    description: "Each with its parameters and status. Free.",
    answers: {
      200: {
        description: "Every structured endpoint.",
        schema: structuredResponse,
        example: { object: "list", data: presentStructured().data.slice(0, 1) },
      },
    },
  },
  "GET /v1/structured/{platform}/{kind}": {
    ...structured,
    id: "readStructured",
    summary: "Read structured data",
    query: structuredParameters,
  },
  "POST /v1/structured/{platform}/{kind}": {
    ...structured,
    id: "readStructuredByBody",
    summary: "Read structured data, parameters in the body",
    body: { schema: structuredParameters, examples: { search: { query: "espresso machine" } } },
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
