import type { CreditTransaction } from "../../api/resources.ts";

/** What one watchlist, or one endpoint of the API, was charged. */
export interface SourceUsage {
  /** The ID of the watchlist, or the method and path of the endpoint. */
  readonly source: string;
  readonly kind: "watchlist" | "endpoint";
  readonly credits: number;
  /** The number of charges: run steps or calls. */
  readonly charges: number;
  readonly items: number;
}

type Entry = Pick<
  CreditTransaction,
  "type" | "credits" | "endpoint" | "watchlist_id" | "items_charged"
>;

/** Sums charges by watchlist and, for calls without a watchlist, by endpoint; the largest first. */
export function usageBySource(entries: readonly Entry[]): readonly SourceUsage[] {
  const sums = new Map<string, SourceUsage>();
  for (const entry of entries) {
    if (entry.type !== "charge") continue;
    const { watchlist_id: listId, endpoint } = entry;
    const source = listId ?? endpoint ?? "other";
    const sum = sums.get(source);
    sums.set(source, {
      source,
      kind: listId === undefined ? "endpoint" : "watchlist",
      credits: (sum?.credits ?? 0) + entry.credits,
      charges: (sum?.charges ?? 0) + 1,
      items: (sum?.items ?? 0) + (entry.items_charged ?? 0),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.credits - a.credits);
}
