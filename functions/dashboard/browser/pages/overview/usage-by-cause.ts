import type { CreditTransaction } from "../../api/resources.ts";

/** What charges are grouped by: the watchlist or endpoint that caused them, or the API key. */
export type Grouping = "cause" | "key";

/** The sum of the charges of one watchlist, endpoint or API key. */
export interface CauseUsage {
  /**
   * The ID of the watchlist or the API key, or the method and path of the endpoint. A text for
   * charges without an ID: `other`, `runs of watchlists` or `not recorded`.
   */
  readonly cause: string;
  /**
   * `runs`: charges of runs, which have no API key. `not_recorded`: charges of calls in earlier
   * releases, which did not record the key.
   */
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

type Cause = Pick<CauseUsage, "cause" | "kind">;

const causeOf: Readonly<Record<Grouping, (entry: Entry) => Cause>> = {
  cause: ({ watchlist_id: listId, endpoint }) =>
    listId === undefined
      ? { kind: "endpoint", cause: endpoint ?? "other" }
      : { kind: "watchlist", cause: listId },
  key: ({ run_id: runId, api_key_id: keyId }) => {
    if (keyId !== undefined) return { kind: "key", cause: keyId };
    return runId === undefined
      ? { kind: "not_recorded", cause: "not recorded" }
      : { kind: "runs", cause: "runs of watchlists" };
  },
};

/**
 * Sums the charges in ledger entries by watchlist or endpoint, or by API key, the largest sum of
 * credits first. Ignores entries that are not charges.
 */
export function usageBy(grouping: Grouping, entries: readonly Entry[]): readonly CauseUsage[] {
  const sums = new Map<string, CauseUsage>();
  for (const entry of entries) {
    if (entry.type !== "charge") continue;
    const { kind, cause } = causeOf[grouping](entry);
    const key = `${kind} ${cause}`;
    const sum = sums.get(key) ?? { cause, kind, credits: 0, charges: 0, items: 0 };
    sums.set(key, {
      ...sum,
      credits: sum.credits + entry.credits,
      charges: sum.charges + 1,
      items: sum.items + (entry.items_charged ?? 0),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.credits - a.credits);
}
