import * as v from "valibot";
import type { RouteKey } from "../../../functions/routes.ts";
import { platformsResponse, presentPlatforms } from "../../../shared/platforms/present-platform.ts";
import { presentStructured, structuredResponse } from "../../../shared/platforms/structured.ts";
import { healthOfTier } from "../../../tools/documents/examples/sources.ts";
import type { Operation } from "../operation.ts";

const wholeNumber = (minimum: number, maximum: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum)));

const describe = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text));

/**
 * Parameters of structured endpoints. `GET /v1/structured` lists the parameters of each endpoint.
 */
const structuredParameters = v.object({
  query: v.optional(
    v.pipe(v.string(), v.description("Words to search for. Required for searches.")),
  ),
  page: describe(wholeNumber(1, 100), "Number of the page of results, from 1."),
  num: describe(wholeNumber(10, 100), "Results per page."),
  country: describe(v.optional(v.string()), "Country of the results, as a two-letter code."),
  language: describe(v.optional(v.string()), "Language of the results, as a two-letter code."),
  product_id: describe(v.optional(v.string()), "ID of the product to read."),
  item_id: describe(v.optional(v.string()), "ID of the item to read."),
});

const structuredPath = {
  platform: { description: "ID of a platform.", example: "retailer_a" },
  kind: { description: "Kind of data: search, product, reviews or category.", example: "search" },
};
const structured = {
  tag: "Structured",
  description: "Announced: returns 501 and charges nothing. A call will cost 5 credits.",
  path: structuredPath,
  answers: {
    200: {
      description: "Not returned yet: the data, once the endpoint is live.",
      mediaType: "application/json",
    },
  },
  refusals: [402, 404, 501, 502],
} as const;

export const platformOperations = {
  "GET /v1/platforms": {
    id: "listPlatforms",
    tag: "Platforms",
    summary: "List platforms",
    description:
      "Lists platforms with their marketplaces, endpoints, tiers and prices, and how the source of each " +
      "tier answered in the last hour (`health`). Public. Calls to what is `coming_soon` return 501.",
    answers: {
      200: {
        description: "Every platform, the announced ones last.",
        schema: platformsResponse,
        example: { object: "list", data: presentPlatforms(healthOfTier).data.slice(0, 1) },
      },
    },
  },
  "GET /v1/structured": {
    id: "listStructuredEndpoints",
    tag: "Structured",
    summary: "List structured endpoints",
    description: "Lists the announced endpoints with their parameters and status. Free.",
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
