/** The time spans of the page, in days. `1` begins at midnight of the browser's time zone. */
export const spans = [
  ["1", "Today"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;

/** Kinds of changes with their labels. `kind` of the API. */
export const kinds = [
  ["price_drop", "Price drops"],
  ["price_rise", "Price rises"],
  ["back_in_stock", "Back in stock"],
  ["sold_out", "Sold out"],
  ["delisted", "Delisted"],
  ["new_seller", "New sellers"],
  ["other", "Other changes"],
] as const;

export const sorts = [
  ["time", "Latest first"],
  ["size", "Largest percentage first"],
  ["amount", "Largest amount first"],
] as const;

/** The filters of the page. Empty strings do not filter. */
export interface ChangeFilter {
  readonly span: string;
  readonly kind: string;
  readonly watchlist: string;
  readonly field: string;
  /** Minimum change in percent and in the unit of the field, as the user types it. */
  readonly percent: string;
  readonly amount: string;
  readonly sort: string;
}

const noFilter: ChangeFilter = {
  span: "1",
  kind: "",
  watchlist: "",
  field: "",
  percent: "",
  amount: "",
  sort: "time",
};

/** Returns true if changes of a kind have no size: the service then refuses filters by size. */
export const hasNoSize = (kind: string): boolean =>
  ["back_in_stock", "sold_out", "delisted", "new_seller"].includes(kind);

const platformsWithSellers: ReadonlySet<string> = new Set(["retailer_a", "retailer_b"]);

/**
 * Returns true if items of the platform can have changes of the kind. The service refuses another
 * kind for a watchlist of the platform.
 */
export const isKindOf = (platform: string, kind: string): boolean =>
  kind !== "new_seller" || platformsWithSellers.has(platform);

/**
 * Reads the filters from the address. Ignores unknown values, and a size if the kind has no size.
 */
export function filterIn(query: URLSearchParams): ChangeFilter {
  const known = (name: "span" | "kind" | "sort", valid: readonly (readonly [string, string])[]) => {
    const value = query.get(name) ?? "";
    return valid.some(([one]) => one === value) ? value : noFilter[name];
  };
  const kind = known("kind", kinds);
  const noSize = hasNoSize(kind);
  return {
    span: known("span", spans),
    kind,
    sort: noSize ? noFilter.sort : known("sort", sorts),
    watchlist: query.get("watchlist") ?? "",
    field: query.get("field") ?? "",
    percent: noSize ? "" : (query.get("percent") ?? ""),
    amount: noSize ? "" : (query.get("amount") ?? ""),
  };
}

const defaults: ReadonlyMap<string, string> = new Map(Object.entries(noFilter));

/** Returns the query of the page's address for these filters. */
export const queryOf = (filter: ChangeFilter): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => value !== defaults.get(name)),
  );

const dayMs = 86_400_000;

/** Returns the start of a time span: midnight of today, or that many days ago. */
export function sinceOf(span: string, now: Date): Date {
  if (span !== "1") return new Date(now.getTime() - Number(span) * dayMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
