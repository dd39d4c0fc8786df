import type { ReadStatus } from "../scrapers/scraper.ts";
import type { ProductsRequest } from "./request.ts";
import type { ProductResult } from "./product.ts";

/** How many items were answered in which way. */
export interface ItemCounts {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
}

/** The 200 answer of `POST /v1/products` (specification, section "Item envelope"). */
export interface ProductsEnvelope {
  readonly platform: string;
  readonly marketplace: string;
  readonly tier: string;
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
  { platform, marketplace, tier }: ProductsRequest,
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
    results,
    stats: { ...counts, elapsedMs },
    credits,
  };
}
