import * as v from "valibot";
import { type PlatformEntry, platforms } from "./catalogue.ts";
import type { EndpointId } from "./endpoints.ts";

/** Platforms that serve an endpoint now. Announced ones are documented by their 501 only. */
export const livePlatforms = (endpoint: EndpointId = "products"): readonly string[] =>
  Object.entries<PlatformEntry>(platforms)
    .filter(([, { endpoints }]) =>
      endpoints.some(({ id, status }) => id === endpoint && status === "live"),
    )
    .map(([id]) => id);

/** Marketplaces of a platform that can be read now; without a platform: of all of them. */
export const liveMarketplaces = (platform?: string): readonly string[] => [
  ...new Set(
    Object.entries<PlatformEntry>(platforms)
      .filter(([id]) => platform === undefined || id === platform)
      .flatMap(([, { marketplaces }]) => marketplaces)
      .filter(({ status }) => status === "live")
      .map(({ code }) => code),
  ),
];

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
