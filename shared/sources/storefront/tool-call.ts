import type { MarketplaceCode } from "../../platforms/marketplaces.ts";
import { countries } from "../../platforms/marketplaces.ts";

/** The tools of a store's catalog that the service uses. */
export type CatalogTool = "lookup_catalog" | "search_catalog";

/** The location of the buyer, on which a store's prices depend. */
export interface BuyerContext {
  readonly address_country: string;
  readonly currency: string;
}

/**
 * Returns the buyer's context (country and currency) that a store needs for a marketplace such as
 * `us`; undefined for an unknown marketplace code.
 */
export function contextOf(marketplace: string): BuyerContext | undefined {
  if (!isMarketplaceCode(marketplace)) return undefined;
  const { country, currency } = countries[marketplace];
  return { address_country: country, currency };
}

const isMarketplaceCode = (code: string): code is MarketplaceCode => Object.hasOwn(countries, code);

/** The headers of a tool call. A store may respond with JSON or with server-sent events. */
export const toolCallHeaders = {
  Accept: "application/json, text/event-stream",
  "Content-Type": "application/json",
} as const;

/**
 * Returns the request body of a call of a catalog tool.
 * @param profile address of this service's agent profile, which every call must contain
 * @param catalog the arguments of the tool, such as the IDs to look up
 */
export const toolCallBody = (tool: CatalogTool, profile: string, catalog: object): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    // Each call is a separate HTTP request, so the ID need not be unique.
    id: 1,
    method: "tools/call",
    params: { name: tool, arguments: { meta: { "ucp-agent": { profile } }, catalog } },
  });
