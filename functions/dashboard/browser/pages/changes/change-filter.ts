import { decimalIn } from "../../format/decimal-input.ts";
import { type IgnoredPart, readQuery } from "../../shell/page-query.ts";
import { changedFields, isFieldOf } from "./change-fields.ts";

/** The time spans of the page, in days. `1` begins at midnight of the browser's time zone. */
export const spans = [
  ["1", "Today"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;

/** The values of the API parameter `compare`, which decides what a row of the page compares. */
export const comparisons = [
  ["reads", "Each change"],
  ["period", "Net change"],
] as const;

/** The values of the API parameter `kind`, with their labels. */
export const kinds = [
  ["price_drop", "Price drops"],
  ["price_rise", "Price rises"],
  ["back_in_stock", "Back in stock"],
  ["sold_out", "Sold out"],
  ["delisted", "Delisted"],
  ["new_seller", "New sellers"],
  ["other", "Other changes"],
] as const;

/** The values of the API parameter `sort`, with their labels. */
export const sorts = [
  ["time", "Latest first"],
  ["size", "Largest percentage first"],
  ["amount", "Largest amount first"],
] as const;

/** The filters of the page. An empty string means no filter. */
export interface ChangeFilter {
  readonly span: string;
  readonly compare: string;
  readonly kind: string;
  readonly watchlist: string;
  readonly field: string;
  /**
   * The minimum change as the user types it: `percent` in percent, `amount` in the unit of the
   * field.
   */
  readonly percent: string;
  readonly amount: string;
  readonly sort: string;
}

const noFilter: ChangeFilter = {
  span: "1",
  compare: "reads",
  kind: "",
  watchlist: "",
  field: "",
  percent: "",
  amount: "",
  sort: "time",
};

/**
 * Returns true if changes of this kind have no size, because their values are not numbers. For such
 * a kind, the service refuses filters by size.
 */
export const hasNoSize = (kind: string): boolean =>
  ["back_in_stock", "sold_out", "delisted", "new_seller"].includes(kind);

/**
 * Returns true if a change that the filter selects can have a size: the difference between two
 * numbers.
 */
export const hasSize = ({ kind, field }: Pick<ChangeFilter, "field" | "kind">): boolean =>
  !hasNoSize(kind) && (field === "" || changedFields[field]?.isNumber === true);

/**
 * Returns the fields whose changes can have this kind, in the order of `changedFields`. An empty
 * kind means any kind.
 */
export const fieldsOf = (kind: string): readonly string[] =>
  Object.keys(changedFields).filter((field) => isFieldOf(field, kind));

interface ReadFilter {
  readonly filter: ChangeFilter;
  readonly ignored: readonly IgnoredPart[];
}

const form: Readonly<Record<keyof ChangeFilter, readonly string[] | undefined>> = {
  span: spans.map(([value]) => value),
  compare: comparisons.map(([value]) => value),
  kind: kinds.map(([value]) => value),
  watchlist: undefined,
  field: Object.keys(changedFields),
  percent: undefined,
  amount: undefined,
  sort: sorts.map(([value]) => value),
};

/**
 * Parses the filters in the address of the page. `ignored` contains the parts of the address that
 * the page does not apply: unknown names and values, and the field if no change of this field can
 * have the chosen kind. If the selected changes have no size, it also contains the sort order and
 * the minimum sizes.
 */
export function readFilter(query: URLSearchParams): ReadFilter {
  const { values, ignored } = readQuery(query, form);
  const wanted: ChangeFilter = { ...noFilter, ...values };
  const filter = fitting(wanted);
  const unfit = (["field", "sort", "percent", "amount"] as const)
    .filter((name) => filter[name] !== wanted[name])
    .map((name) => ({ name, value: wanted[name], reason: "it does not fit the other filters" }));
  return { filter, ignored: [...ignored, ...unfit] };
}

/**
 * Returns the filter without the choices that do not apply. Removes the field if no change of this
 * field can have the chosen kind. Removes the order and the minimum sizes if the changes have no
 * size.
 */
function fitting(filter: ChangeFilter): ChangeFilter {
  const field = filter.field === "" || isFieldOf(filter.field, filter.kind) ? filter.field : "";
  const sizes = hasSize({ ...filter, field })
    ? {}
    : { sort: noFilter.sort, percent: noFilter.percent, amount: noFilter.amount };
  return { ...filter, field, ...sizes };
}

/**
 * Returns the filter with the values in `part`. Removes the field if no change of this field can
 * have the chosen kind. Removes the sort order and the minimum sizes if the selected changes have
 * no size.
 */
export const changedFilter = (filter: ChangeFilter, part: Partial<ChangeFilter>): ChangeFilter =>
  fitting({ ...filter, ...part });

/**
 * Parses the minimum sizes of a filter. Each text becomes a number, or an error message for the
 * user if it is not a number. An empty text becomes neither.
 */
export const sizesOf = ({ percent, amount }: Pick<ChangeFilter, "amount" | "percent">) => ({
  percent: decimalIn(percent, { unit: "percent" }),
  amount: decimalIn(amount, { unit: "amount" }),
});

const defaults: ReadonlyMap<string, string> = new Map(Object.entries(noFilter));

/** Returns the query parameters of the page's address for a filter. Omits default values. */
export const queryOf = (filter: ChangeFilter): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => value !== defaults.get(name)),
  );

const dayMs = 86_400_000;

/**
 * Returns the start of a time span: for `1`, midnight of today in the browser's time zone;
 * otherwise `span` times 24 hours before `now`.
 */
export function sinceOf(span: string, now: Date): Date {
  if (span !== "1") return new Date(now.getTime() - Number(span) * dayMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
