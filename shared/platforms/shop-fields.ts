import * as v from "valibot";
import { addRefusedValue } from "../base/shown-value.ts";
import { liveMarketplaces, livePlatforms } from "./catalog.ts";
import type { EndpointId } from "./endpoints.ts";

/**
 * Returns the schemas of `platform` and `marketplace` for a request to an endpoint. They accept any
 * string. `parsePlatform` checks the names later, because a name that is announced, but not yet
 * available, must cause a 501 and not a 400. The OpenAPI document lists only live names.
 */
export const shopFields = (endpoint: EndpointId = "products") => ({
  platform: v.optional(
    v.pipe(
      v.string(addRefusedValue("'platform' must be a string.")),
      v.metadata({ enum: livePlatforms(endpoint) }),
      v.description("Default: retailer_a."),
    ),
  ),
  marketplace: v.optional(
    v.pipe(
      v.string(addRefusedValue("'marketplace' must be a string.")),
      v.metadata({ enum: liveMarketplaces() }),
      v.description("Default: the platform's default marketplace."),
    ),
  ),
});
