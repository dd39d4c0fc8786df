import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import { type ProductResult, productResultSchema } from "./product.ts";
import type { ProductsRequest } from "./request.ts";

/** Number of items by status of their answer. `requested` is the total. */
export interface StatusCounts {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
}

const describedCount = (description: string) => v.pipe(count, v.description(description));

/** Response 200 of `POST /v1/products` (specification, section "Item envelope"). */
export const productsResponse = v.pipe(
  v.object({
    platform: v.string(),
    marketplace: v.string(),
    tier: v.string(),
    include: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description("On retailer_a: the `include` of the request, unchanged."),
        v.metadata({ deprecated: true }),
      ),
    ),
    results: v.pipe(
      v.array(productResultSchema),
      v.description("One per unique item, in the order of the request."),
    ),
    stats: v.object({
      requested: describedCount("Unique items."),
      ok: describedCount("Complete results: charged."),
      partial: describedCount("Results without some fields: refunded."),
      notFound: describedCount("The item does not exist on the platform: charged."),
      unavailable: describedCount("No result: refunded. Try again later."),
      elapsedMs: describedCount("Duration of the call in milliseconds."),
    }),
    credits: describedCount("Credits charged, as in the header X-Service-Credits."),
  }),
  v.title("ProductsEnvelope"),
);

/** The response body of a products call. */
export interface ProductsEnvelope {
  readonly platform: string;
  readonly marketplace: string;
  readonly tier: string;
  readonly include?: readonly string[];
  readonly results: readonly ProductResult[];
  readonly stats: StatusCounts & { readonly elapsedMs: number };
  readonly credits: number;
}

/** Returns the number of answers with each status, and their total. */
export function countByStatus(answers: readonly { readonly status: ReadStatus }[]): StatusCounts {
  const counts = { ok: 0, partial: 0, not_found: 0, unavailable: 0 };
  for (const { status } of answers) counts[status] += 1;
  const { not_found: notFound, ...others } = counts;
  return { requested: answers.length, ...others, notFound };
}

/**
 * Returns the number of items that a call or a step charges: those with an `ok` or `not_found`
 * answer (specification, section "Item envelope").
 */
export const chargedItems = ({ ok, notFound }: StatusCounts): number => ok + notFound;

/** Builds the body of the 200 response of `POST /v1/products`. */
export function productsEnvelope(
  { platform, marketplace, tier, include }: ProductsRequest,
  parts: {
    readonly results: readonly ProductResult[];
    readonly counts: StatusCounts;
    readonly elapsedMs: number;
    readonly credits: number;
  },
): ProductsEnvelope {
  const { results, counts, elapsedMs, credits } = parts;
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
