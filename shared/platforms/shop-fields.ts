import * as v from "valibot";
import { liveMarketplaces, livePlatforms } from "./catalogue.ts";
import type { EndpointId } from "./endpoints.ts";

/**
 * The schemas of `platform` and `marketplace`. They accept any text, so that an announced name gets
 * 501. The OpenAPI document lists live names only.
 */
export const shopFields = (endpoint: EndpointId = "products") => ({
  platform: v.optional(
    v.pipe(
      v.string("'platform' must be a string."),
      v.metadata({ enum: livePlatforms(endpoint) }),
      v.description("Default: retailer_a."),
    ),
  ),
  marketplace: v.optional(
    v.pipe(
      v.string("'marketplace' must be a string."),
      v.metadata({ enum: liveMarketplaces() }),
      v.description("Default: the platform's default marketplace."),
    ),
  ),
});
