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
  const charges = entries.filter(({ type }) => type === "charge");
  const bySource = Map.groupBy(charges, sourceOf);
  return [...bySource]
    .map(([source, all]) => ({
      source,
      kind: kindOf(all),
      credits: sumOf(all, ({ credits }) => credits),
      charges: all.length,
      items: sumOf(all, ({ items_charged: items = 0 }) => items),
    }))
    .toSorted((a, b) => b.credits - a.credits);
}

const sourceOf = ({ watchlist_id: listId, endpoint }: Entry): string =>
  listId ?? endpoint ?? "other";

const kindOf = (entries: readonly Entry[]): SourceUsage["kind"] =>
  entries.some(({ watchlist_id: listId }) => listId !== undefined) ? "watchlist" : "endpoint";

const sumOf = (entries: readonly Entry[], of: (entry: Entry) => number): number =>
  entries.reduce((sum, entry) => sum + of(entry), 0);
