import { percentChange } from "../base/percent.ts";
import type { FieldValue } from "../scrapers/catalog.ts";
import { currentSnapshot, type Item } from "./item.ts";
import { type ItemDetails, knownDetails } from "./item-details.ts";
import { compareIds } from "./id-order.ts";
import { wordsOf } from "./search-words.ts";

/**
 * The values by which a list of items can be sorted. `name` is the label or, without a label, the
 * title.
 */
export const itemSorts = ["id", "name", "label", "title", "price", "change", "changed_at"] as const;
export type ItemSort = (typeof itemSorts)[number];

/** The directions in which a list of items can be sorted. */
export const itemOrders = ["asc", "desc"] as const;
export type ItemOrder = (typeof itemOrders)[number];

/** An item with its details. */
export interface DetailedItem {
  readonly item: Item;
  readonly details: ItemDetails | undefined;
}

type SortKey = number | string | null;

const priceFields = ["price", "newMinPrice", "lowestPrice"] as const;

/** Returns true for a price field. Changes of price fields take precedence over other changes. */
const isAmount = (field: string): boolean => /price$/i.test(field);

/**
 * Returns the last change of an item in percent: that of the first changed price field or, if no
 * price field changed, of the first changed field. Returns null if the item has not changed, or if
 * a value of this field is not a number.
 */
function percentOf({ lastChange }: Item): number | null {
  const changes = Object.entries(lastChange?.changes ?? {});
  const [, change] = changes.find(([field]) => isAmount(field)) ?? changes[0] ?? [];
  if (change === undefined) return null;
  const { before, after } = change;
  return typeof before === "number" && typeof after === "number"
    ? percentChange(before, after)
    : null;
}

/**
 * Returns the last known price of an item: `price` or, without it, `newMinPrice` or `lowestPrice`.
 * Returns null if none of them is known.
 */
export function priceOf(item: Item): number | null {
  const snapshot = currentSnapshot(item) ?? {};
  const price: FieldValue | undefined = priceFields
    .map((field) => snapshot[field])
    .find((value) => typeof value === "number");
  return typeof price === "number" ? price : null;
}

const textOf = (text: string | undefined): string | null => text?.toLowerCase() ?? null;

const keyOf: Readonly<Record<ItemSort, (one: DetailedItem) => SortKey>> = {
  id: ({ item }) => item.id,
  name: ({ details }) => {
    const { label, title } = knownDetails(details);
    return textOf(label ?? title);
  },
  label: ({ details }) => textOf(knownDetails(details).label),
  title: ({ details }) => textOf(knownDetails(details).title),
  price: ({ item }) => priceOf(item),
  change: ({ item }) => percentOf(item),
  changed_at: ({ item }) => item.lastChange?.changedAt ?? null,
};

/**
 * Sorts items with their details. In both orders, items without a value for `sort` come last. Items
 * with equal values are sorted by ID.
 */
export function sortItems<One extends DetailedItem>(
  items: readonly One[],
  { sort, order }: { readonly sort: ItemSort; readonly order: ItemOrder },
): readonly One[] {
  const sign = order === "asc" ? 1 : -1;
  return items
    .map((one) => ({ one, key: keyOf[sort](one) }))
    .sort((a, b) => compareKeys(a.key, b.key, sign) || compareIds(a.one.item.id, b.one.item.id))
    .map(({ one }) => one);
}

function compareKeys(a: SortKey, b: SortKey, sign: 1 | -1): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -sign : sign;
}

/**
 * Creates a function that returns true if an item matches a search: its ID, label and title
 * together contain every word of the search, ignoring case.
 */
export function searchOf(
  search: string,
): (id: string, details: ItemDetails | undefined) => boolean {
  const words = wordsOf(search);
  return (id, details) => {
    const text = `${id} ${details?.label ?? ""} ${details?.facts.title ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
