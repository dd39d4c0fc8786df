import type { Changed } from "../base/after-change.ts";
import type { ItemDetails, ProductFacts } from "./item-details.ts";
import { compareIds } from "./id-order.ts";
import { compress, decompress, jsonIn } from "./page-codec.ts";
import { cutRange, type PageBounds, type PageRange } from "./page.ts";
import type { DetailsChange } from "./page-store.ts";

/** A page of item details that was read, with the version for a conditional write. */
export interface StoredDetailsPage extends PageRange {
  /** Increases with every write of the range, including a split of the page. */
  readonly version: number;
  /** Details sorted by ID. Decoded at the first access. */
  readonly details: readonly ItemDetails[];
  /**
   * Returns false only if no item has all of the words in its ID, label or title. The check is much
   * faster than decoding the details.
   * @param words in lower case
   */
  mayContain(words: readonly string[]): boolean;
  /** Returns the details of the items that `isWanted` selects, without building other details. */
  select(isWanted: (id: string) => boolean): readonly ItemDetails[];
}

/** A page of item details to store. */
export interface CutDetailsPage extends PageRange {
  readonly encoded: Uint8Array;
}

/**
 * Splits the details in a range of item IDs into pages that do not exceed `bounds`.
 * @param details sorted by item ID
 */
export const cutDetailsPages = (
  range: PageRange,
  details: readonly ItemDetails[],
  bounds: Pick<PageBounds, "itemsMax" | "bytesMax">,
): CutDetailsPage[] =>
  cutRange(range, details, { ...bounds, encode: encodeDetails }).map(
    ({ lowest, upper, encoded }) => ({ lowest, upper, encoded }),
  );

const names = ["id", "addedAt", "label", "metadata", "readAt"] as const;
const factNames = ["title", "url", "image", "sellers"] as const;

/**
 * Encodes item details, in their order, as compressed columns: one array for each field. A null in
 * an array marks an absent value. A field that no item has is omitted.
 */
export function encodeDetails(details: readonly ItemDetails[]): Uint8Array {
  const columns: Record<string, readonly unknown[]> = {};
  const add = (name: string, valueOf: (one: ItemDetails) => unknown): void => {
    const values = details.map(valueOf);
    if (values.some((value) => value !== null)) columns[name] = values;
  };
  for (const name of names) add(name, (one) => (isEmptyObject(one[name]) ? null : one[name]));
  for (const name of factNames) add(name, ({ facts }) => facts[name] ?? null);
  return compress(columns);
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

type DetailsColumns = Readonly<
  { [Name in (typeof names)[number]]?: readonly (ItemDetails[Name] | null)[] } & {
    [Name in (typeof factNames)[number]]?: readonly (ProductFacts[Name] | null)[];
  }
>;

/**
 * Decodes a page of details that `encodeDetails` encoded. Builds the details of an item only when
 * the caller needs them.
 */
export function decodeDetails(bytes: Uint8Array): Pick<StoredDetailsPage, "details" | "select"> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeDetails` made these bytes
  const columns = decompress(bytes) as DetailsColumns;
  const ids = (columns.id ?? []).map((id) => id ?? "");
  let details: readonly ItemDetails[] | undefined;
  return {
    get details() {
      details ??= ids.map((_, n) => detailsAt(columns, n));
      return details;
    },
    select(isWanted) {
      const selected: ItemDetails[] = [];
      for (const [n, id] of ids.entries()) if (isWanted(id)) selected.push(detailsAt(columns, n));
      return selected;
    },
  };
}

const detailsAt = (columns: DetailsColumns, n: number): ItemDetails => ({
  id: columns.id?.[n] ?? "",
  addedAt: columns.addedAt?.[n] ?? "",
  label: columns.label?.[n] ?? null,
  metadata: columns.metadata?.[n] ?? {},
  facts: factsAt(columns, n),
  readAt: columns.readAt?.[n] ?? null,
});

function factsAt({ title, url, image, sellers }: DetailsColumns, n: number): ProductFacts {
  const facts: { -readonly [Name in keyof ProductFacts]: ProductFacts[Name] } = {};
  const [ofTitle, ofUrl, ofImage, ofSellers] = [title?.[n], url?.[n], image?.[n], sellers?.[n]];
  if (typeof ofTitle === "string") facts.title = ofTitle;
  if (typeof ofUrl === "string") facts.url = ofUrl;
  if (typeof ofImage === "string") facts.image = ofImage;
  if (typeof ofSellers === "object" && ofSellers !== null) facts.sellers = ofSellers;
  return facts;
}

/**
 * Returns false only if no item of the encoded details contains all of the words in its ID, label
 * and title. If it returns true, there may still be no such item.
 * @param words in lower case
 */
export function mayContain(encoded: Uint8Array, words: readonly string[]): boolean {
  const json = jsonIn(encoded).toLowerCase();
  // JSON escapes some characters, so each word is escaped too. Both sides are in lower case: `json`
  // was converted, and the words are passed in lower case.
  return words.every((word) => json.includes(JSON.stringify(word).slice(1, -1)));
}

/**
 * Applies a change to the details of the items `ids` of a page (see `DetailsChange`). Returns all
 * details of the page after the change, sorted by ID, or `unchanged`. Decodes the details of the
 * other items only if one of the items changes.
 * @param page undefined if the watchlist has no pages of details
 */
export function changeDetails(
  page: StoredDetailsPage | undefined,
  ids: readonly string[],
  change: DetailsChange["change"],
): Changed<readonly ItemDetails[]> {
  const wanted = new Set(ids);
  const known = new Map(page?.select((id) => wanted.has(id)).map((one) => [one.id, one]));
  const changed = new Map<string, ItemDetails | undefined>();
  for (const id of ids) {
    const before = known.get(id);
    const after = change(before, id);
    if (after === "unchanged" || (after === undefined && before === undefined)) continue;
    changed.set(id, after);
  }
  if (changed.size === 0) return "unchanged";
  const keptDetails = (page?.details ?? []).filter(({ id }) => !changed.has(id));
  const others = [...changed.values()].filter((one) => one !== undefined);
  return [...keptDetails, ...others].sort((a, b) => compareIds(a.id, b.id));
}
