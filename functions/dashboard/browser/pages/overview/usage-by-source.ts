import type { CreditTransaction } from "../../api/resources.ts";

/** What a sum of charges is grouped by: the watchlist or endpoint that spent them, or the API key. */
export type Grouping = "source" | "key";

/** What one source of charges was charged. */
export interface SourceUsage {
  /** The ID of the watchlist or the API key, or the method and path of the endpoint. */
  readonly source: string;
  /** `runs`: runs have no API key. `not_recorded`: earlier releases did not record the key. */
  readonly kind: "watchlist" | "endpoint" | "key" | "runs" | "not_recorded";
  readonly credits: number;
  /** The number of charges: run steps or calls. */
  readonly charges: number;
  readonly items: number;
}

type Entry = Pick<
  CreditTransaction,
  "type" | "credits" | "endpoint" | "watchlist_id" | "run_id" | "api_key_id" | "items_charged"
>;

type Source = Pick<SourceUsage, "source" | "kind">;

const sourceOf: Readonly<Record<Grouping, (entry: Entry) => Source>> = {
  source: ({ watchlist_id: listId, endpoint }) =>
    listId === undefined
      ? { kind: "endpoint", source: endpoint ?? "other" }
      : { kind: "watchlist", source: listId },
  key: ({ run_id: runId, api_key_id: keyId }) => {
    if (keyId !== undefined) return { kind: "key", source: keyId };
    return runId === undefined
      ? { kind: "not_recorded", source: "not recorded" }
      : { kind: "runs", source: "runs of watchlists" };
  },
};

/** Sums charges by their source, the largest first. */
export function usageBy(grouping: Grouping, entries: readonly Entry[]): readonly SourceUsage[] {
  const sums = new Map<string, SourceUsage>();
  for (const entry of entries) {
    if (entry.type !== "charge") continue;
    const { kind, source } = sourceOf[grouping](entry);
    const key = `${kind} ${source}`;
    const sum = sums.get(key) ?? { source, kind, credits: 0, charges: 0, items: 0 };
    sums.set(key, {
      ...sum,
      credits: sum.credits + entry.credits,
      charges: sum.charges + 1,
      items: sum.items + (entry.items_charged ?? 0),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.credits - a.credits);
}
