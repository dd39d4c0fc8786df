import { kindOf } from "../../shared/sources/sandbox/catalog.ts";
import { drawsOf } from "../../shared/sources/sandbox/draw.ts";
import type { PastWatchlist } from "./invented-past.ts";

/** The sandbox items to choose. */
interface CategoryItems {
  readonly platform: PastWatchlist["platform"];
  /** Categories of the sandbox, such as `Headphones`. */
  readonly categories: readonly string[];
  /** The ID that is tried first. */
  readonly first: number;
  readonly count: number;
}

/** The difference between two IDs that are tried one after the other. */
const step = 7_919;
/**
 * The number of IDs that are tried for each wanted item. It is ample, because every category has
 * about an eighth of the items.
 */
const triesForEach = 100;

/**
 * Returns the IDs of `count` sandbox items in the given categories, so that the items of an
 * invented watchlist fit its name.
 * @throws Error if fewer than `count` of the tried IDs are in the categories
 */
export function idsOfCategories({
  platform,
  categories,
  first,
  count,
}: CategoryItems): readonly string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) {
    if (n > count * triesForEach) {
      throw new Error(
        `The sandbox has too few items of ${categories.join(", ")}. Check the names.`,
      );
    }
    const id = String(first + n * step);
    if (categories.includes(categoryOf(platform, id))) ids.push(id);
  }
  return ids;
}

/** Returns the category of a sandbox item in the marketplace `us`. */
export const categoryOf = (platform: PastWatchlist["platform"], id: string): string =>
  kindOf(platform, id, drawsOf({ seed: "sandbox", marketplace: "us", id })).category;
