import type { Changed } from "../base/after-change.ts";
import type { Metadata } from "../pipelines/definition.ts";

interface SellerName {
  readonly id: string;
  readonly name: string;
}

/** The seller whose ID a field of the snapshot contains, with the seller's name. */
interface FieldSeller extends SellerName {
  /** The seller before the field's last change. An event about this change has both sellers. */
  readonly previous?: SellerName;
}

/** Fields of a snapshot that contain the ID of a seller. */
const sellerFields = ["merchant", "buyboxSeller"] as const;
export type SellerField = (typeof sellerFields)[number];

/**
 * Facts about an item that a read returns in addition to its snapshot. A change of these facts is
 * not a change of the item.
 */
export interface ProductFacts {
  readonly title?: string;
  /** Address of the product page. */
  readonly url?: string;
  /** Address of the first image. */
  readonly image?: string;
  /** Sellers by the field that contains their ID. */
  readonly sellers?: Readonly<Partial<Record<SellerField, FieldSeller>>>;
}

/**
 * The details of an item: the label and metadata that clients set, and the facts that sources
 * return in addition to its snapshot. They are stored apart from the item, so that its page stays
 * small.
 */
export interface ItemDetails {
  readonly id: string;
  /** `addedAt` of the item when the details were first stored. */
  readonly addedAt: string;
  readonly label: string | null;
  readonly metadata: Metadata;
  /** The newest known facts. If a later read lacks a fact, the fact is kept. */
  readonly facts: ProductFacts;
  /** Time of the read that last changed the facts (ISO); null before the first such read. */
  readonly readAt: string | null;
}

/**
 * The label and metadata that a request sets for an item. An absent value stays unchanged; null
 * removes the value.
 */
export interface GivenLabels {
  readonly label?: string | null;
  readonly metadata?: Metadata | null;
}

const blankDetails = (id: string, addedAt: string): ItemDetails => ({
  id,
  addedAt,
  label: null,
  metadata: {},
  facts: {},
  readAt: null,
});

const isBlank = ({ label, metadata, facts }: ItemDetails): boolean =>
  label === null && Object.keys(metadata).length === 0 && Object.keys(facts).length === 0;

interface GivenFor {
  readonly id: string;
  /** `addedAt` of the item. */
  readonly addedAt: string;
  /** True if the item was not on the watchlist before. */
  readonly isAdded: boolean;
  readonly given: GivenLabels;
}

/**
 * Returns the details of an item after a request that sets its label or metadata; `unchanged` if
 * nothing differs. Discards `before` if these details belong to a removed item with the same ID.
 * Returns undefined if the item has no details after the request.
 */
export function withLabels(
  before: ItemDetails | undefined,
  { id, addedAt, isAdded, given }: GivenFor,
): Changed<ItemDetails | undefined> {
  const isLeftOver = isAdded && before !== undefined && before.addedAt < addedAt;
  const base = before === undefined || isLeftOver ? blankDetails(id, addedAt) : before;
  const { label = base.label, metadata = base.metadata } = given;
  const after = { ...base, label, metadata: metadata ?? {} };
  if (isBlank(after)) return before === undefined ? "unchanged" : undefined;
  return before !== undefined && areSame(before, after) ? "unchanged" : after;
}

interface FactsRead {
  readonly id: string;
  readonly addedAt: string;
  /** Time of the read that returned the facts (ISO 8601). */
  readonly readAt: string;
  readonly facts: ProductFacts;
}

/**
 * Returns the details of an item after a read with product facts. Returns `unchanged` if the facts
 * are the same, or if a later read has already changed them.
 */
export function withFacts(
  before: ItemDetails | undefined,
  { id, addedAt, readAt, facts }: FactsRead,
): Changed<ItemDetails> {
  const base = before ?? blankDetails(id, addedAt);
  if (base.readAt !== null && base.readAt > readAt) return "unchanged";
  const isNew = (name: "title" | "url" | "image"): boolean =>
    facts[name] !== undefined && facts[name] !== base.facts[name];
  const sellers = sellersAfter(base.facts.sellers ?? {}, facts.sellers ?? {});
  const hasNews = isNew("title") || isNew("url") || isNew("image");
  if (!hasNews && sellers === undefined) return "unchanged";
  return {
    ...base,
    facts: { ...base.facts, ...facts, ...ofSellers(sellers ?? base.facts.sellers) },
    readAt,
  };
}

type Sellers = NonNullable<ProductFacts["sellers"]>;

const ofSellers = (sellers: Sellers | undefined): Pick<ProductFacts, "sellers"> =>
  sellers === undefined ? {} : { sellers };

/** Returns the sellers after a read; undefined if they are unchanged. */
function sellersAfter(before: Sellers, read: Sellers): Sellers | undefined {
  const changed: { [Field in SellerField]?: FieldSeller } = {};
  for (const field of sellerFields) {
    const [known, seller] = [before[field], read[field]];
    if (seller === undefined) continue;
    if (known?.id === seller.id && known.name === seller.name) continue;
    const previous =
      known !== undefined && known.id !== seller.id
        ? { id: known.id, name: known.name }
        : known?.previous;
    changed[field] = previous === undefined ? seller : { ...seller, previous };
  }
  return Object.keys(changed).length === 0 ? undefined : { ...before, ...changed };
}

const areSame = (a: ItemDetails, b: ItemDetails): boolean =>
  a.label === b.label &&
  JSON.stringify(sortKeys(a.metadata)) === JSON.stringify(sortKeys(b.metadata)) &&
  a.addedAt === b.addedAt;

/**
 * Returns the value with the keys of its objects in sorted order, so that equal values have equal
 * JSON.
 */
function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sortKeys(inner)]);
}

/**
 * The known details of an item, in the form in which an event contains them. An unknown detail is
 * absent.
 */
export interface KnownDetails {
  readonly label?: string;
  readonly metadata?: Metadata;
  readonly title?: string;
  readonly url?: string;
  readonly image?: string;
  readonly sellerNames?: Readonly<Record<string, string>>;
}

/**
 * Selects the details that events contain: label, metadata and the newest facts. Returns an empty
 * object if `details` is undefined.
 */
export function knownDetails(details: ItemDetails | undefined): KnownDetails {
  if (details === undefined) return {};
  const { metadata, facts } = details;
  const sellerNames = namesOf(facts);
  const known: { -readonly [Key in keyof KnownDetails]: KnownDetails[Key] } = {};
  if (details.label !== null) known.label = details.label;
  if (Object.keys(metadata).length > 0) known.metadata = metadata;
  for (const name of ["title", "url", "image"] as const) {
    const fact = facts[name];
    if (fact !== undefined) known[name] = fact;
  }
  if (Object.keys(sellerNames).length > 0) known.sellerNames = sellerNames;
  return known;
}

/** Returns the names of the current and the previous sellers, by seller ID. */
const namesOf = ({ sellers = {} }: ProductFacts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(sellers)
      .flatMap(({ previous, ...seller }) => (previous === undefined ? seller : [previous, seller]))
      .map(({ id, name }) => [id, name]),
  );

/** Converts the details that `knownDetails` selects to their form in events. */
export const presentKnownDetails = ({
  sellerNames,
  ...known
}: KnownDetails): Readonly<Record<string, unknown>> => ({
  ...known,
  ...(sellerNames !== undefined && { seller_names: sellerNames }),
});

/**
 * Converts details to their form in API responses about items. Every key is present: an unknown
 * value is null, or an empty object for `metadata` and `seller_names`.
 */
export function presentDetails(
  details: ItemDetails | undefined,
): Readonly<Record<string, unknown>> {
  const { label, metadata, title, url, image, sellerNames } = knownDetails(details);
  return {
    label: label ?? null,
    metadata: metadata ?? {},
    title: title ?? null,
    url: url ?? null,
    image: image ?? null,
    seller_names: sellerNames ?? {},
  };
}
