import * as v from "valibot";
import { boundedMap } from "../../base/bounded-map.ts";
import { chunksOf } from "../../base/chunks-of.ts";
import type { HistorySource } from "./source.ts";
import { foreignText } from "../contract/foreign-value.ts";

/**
 * Names by seller ID. A name is null if the source has none. An ID is missing if its lookup failed.
 */
export type SellerNames = ReadonlyMap<string, string | null>;

/** Looks up the names of sellers. */
export interface Sellers {
  /**
   * Returns the names of the sellers with these IDs. Looks up only names that are not cached.
   * `domain` is the number that the price history API uses for the marketplace.
   */
  namesOf(
    ids: readonly string[],
    question: { readonly domain: string; readonly deadline: Date },
  ): Promise<SellerNames>;
}

/** The maximum number of IDs in one call. */
const batchIdsMax = 100;
const keptNamesMax = 10_000;
const sellerId = /^[A-Z0-9]{5,20}$/i;

const reply = v.object({ sellers: v.nullable(v.record(v.string(), v.unknown())) });
const seller = v.fallback(v.object({ sellerName: foreignText }), {});

/**
 * Creates a lookup of seller names. The lookup caches the 10,000 most recent names until the
 * process ends.
 */
export function historySellers(source: HistorySource): Sellers {
  const cachedNames = boundedMap<string>(keptNamesMax);
  return {
    async namesOf(ids, { domain, deadline }) {
      const names = new Map<string, string | null>();
      const wanted: string[] = [];
      for (const id of new Set(ids)) {
        const known = cachedNames.get(`${domain} ${id}`);
        if (known !== undefined) names.set(id, known);
        else if (sellerId.test(id)) wanted.push(id);
        else names.set(id, null);
      }
      await Promise.all(
        chunksOf(wanted, batchIdsMax).map(async (batch) => {
          const parameters = { domain, seller: batch.join(",") };
          const query = { path: "seller", parameters, cost: batch.length, deadline } as const;
          const answer = await source.send(query);
          if (answer.kind !== "read") return;
          const parsed = v.safeParse(reply, answer.body);
          if (!parsed.success) return;
          for (const id of batch) {
            const { sellerName } = v.parse(seller, parsed.output.sellers?.[id]);
            names.set(id, sellerName ?? null);
            if (sellerName !== undefined) cachedNames.set(`${domain} ${id}`, sellerName);
          }
        }),
      );
      return names;
    },
  };
}
