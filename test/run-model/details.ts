import type { Metadata, Step } from "../../shared/pipelines/definition.ts";
import { type ItemLooks, lookAt } from "./answers.ts";

/** The label and metadata of an item before each run. After the last entry, the first follows. */
export type ItemGiven = readonly { readonly label: string | null; readonly metadata: Metadata }[];

/** The newest known title and sellers of an item. */
export interface ModelDetails {
  readonly title: string | undefined;
  /** The last sellers that product reads have shown: at most two, the newest last. */
  readonly merchants: readonly string[];
  /** The last buy-box sellers that offers reads have shown: at most two, the newest last. */
  readonly buyboxSellers: readonly string[];
}

export const noDetails: ModelDetails = { title: undefined, merchants: [], buyboxSellers: [] };

/**
 * Returns the label and metadata that an item has before a run.
 * @param at the index of the run, from 0
 */
export const givenAt = (given: ItemGiven, at: number): ItemGiven[number] =>
  given[at % given.length] ?? { label: null, metadata: {} };

/** Returns the title that a source shows for an item in a run. It changes every third run. */
export const titleAt = (id: string, at: number): string => `Title ${Math.floor(at / 3)} of ${id}`;

/** Returns the name that a source shows for a seller. */
export const nameOf = (seller: string): string => `name of ${seller}`.trim();

/** Returns the known title and sellers of an item after a read with the status `ok`. */
export function detailsAfter(
  before: ModelDetails,
  { step, id, looks, at }: { step: Step; id: string; looks: ItemLooks; at: number },
): ModelDetails {
  const look = lookAt(looks, step.scraper, at);
  if (look === undefined) return before;
  if ("fields" in look) {
    const { merchant } = look.fields;
    const title = titleAt(id, at);
    if (typeof merchant !== "string") return { ...before, title };
    return { ...before, title, merchants: lastTwo(before.merchants, merchant) };
  }
  if (!("offers" in look)) return before;
  const featured = look.offers.find(({ isBuybox }) => isBuybox);
  if (featured === undefined) return before;
  return { ...before, buyboxSellers: lastTwo(before.buyboxSellers, featured.seller) };
}

const lastTwo = (sellers: readonly string[], newest: string): readonly string[] =>
  sellers.at(-1) === newest ? sellers : [...sellers, newest].slice(-2);

/** Returns the details that an event contains about an item. Omits unknown and empty values. */
export function shownDetails(
  { label, metadata }: ItemGiven[number],
  { title, merchants, buyboxSellers }: ModelDetails,
): Readonly<Record<string, unknown>> {
  const sellers = [...merchants, ...buyboxSellers];
  return {
    ...(label !== null && { label }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(title !== undefined && { title }),
    ...(sellers.length > 0 && {
      seller_names: Object.fromEntries(sellers.map((seller) => [seller, nameOf(seller)])),
    }),
  };
}
