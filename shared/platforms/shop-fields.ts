import * as v from "valibot";
import { liveMarketplaces, livePlatforms } from "./catalogue.ts";
import type { EndpointId } from "./endpoints.ts";

/**
 * The fields of a body or a query that name a shop. Any text is parsed, so that an announced name
 * can answer 501; the document lists what is live.
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
