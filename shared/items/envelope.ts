import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { type ProductResult, productResultSchema } from "./product.ts";
import type { ProductsRequest } from "./request.ts";

/** How many items were answered in which way. */
export interface ItemCounts {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
}

const counted = (description: string) => v.pipe(count, v.description(description));

/** The 200 answer of `POST /v1/products` (specification, section "Item envelope"). */
export const productsResponse = v.pipe(
  v.object({
    platform: v.string(),
    marketplace: v.string(),
    tier: v.string(),
    include: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description("`include` of the request, on retailer_a."),
        v.metadata({ deprecated: true }),
      ),
    ),
    results: v.pipe(
      v.array(productResultSchema),
      v.description("One per unique item, in the order of the request."),
    ),
    stats: v.object({
      requested: counted("Unique items."),
      ok: counted("Answered in full: charged."),
      partial: counted("Answered with fields missing: refunded."),
      notFound: counted("Items that do not exist, as the source reports: charged."),
      unavailable: counted("No answer this time: refunded, try again later."),
      elapsedMs: counted("Duration of the call in milliseconds."),
    }),
    credits: counted("Credits charged, as in the header X-Service-Credits."),
  }),
  v.title("ProductsEnvelope"),
);

export interface ProductsEnvelope {
  readonly platform: string;
  readonly marketplace: string;
  readonly tier: string;
  readonly include?: readonly string[];
  readonly results: readonly ProductResult[];
  readonly stats: ItemCounts & { readonly elapsedMs: number };
  readonly credits: number;
}

export function countItems(answers: readonly { readonly status: ReadStatus }[]): ItemCounts {
  const counts = { ok: 0, partial: 0, not_found: 0, unavailable: 0 };
  for (const { status } of answers) counts[status] += 1;
  const { not_found: notFound, ...others } = counts;
  return { requested: answers.length, ...others, notFound };
}

/** Found in full and positively not found are charged, the rest is refunded (same section). */
export const chargedItems = ({ ok, notFound }: ItemCounts): number => ok + notFound;

export function productsEnvelope(
  { platform, marketplace, tier, include }: ProductsRequest,
  found: {
    readonly results: readonly ProductResult[];
    readonly counts: ItemCounts;
    readonly elapsedMs: number;
    readonly credits: number;
  },
): ProductsEnvelope {
  const { results, counts, elapsedMs, credits } = found;
  return {
    platform,
    marketplace,
    tier,
    ...(include !== undefined && { include }),
    results,
    stats: { ...counts, elapsedMs },
    credits,
  };
}
