import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as v from "valibot";

/** A price that holds from a day on, until the day of the next entry. */
export interface PriceOfDay {
  /** The day as `YYYY-MM-DD`. */
  readonly day: string;
  /** Null if the file has no price, or a price of 0, which the service counts as unknown. */
  readonly price: number | null;
}

/** The price history of a product. */
export interface Product {
  /** The ID of the product in the price file. */
  readonly id: string;
  /** One entry for each day with an entry in the file, in the order of the days. Never empty. */
  readonly prices: readonly PriceOfDay[];
}

/** The products of one file. */
export interface ShopPrices {
  /** Name of the file without `fileEnding`. */
  readonly shop: string;
  readonly products: readonly Product[];
  /** Number of products in the file. */
  readonly inFile: number;
}

/**
 * A line of a file. A product can have two prices on a day; the last one is the price of the day.
 */
const lineSchema = v.object({
  id: v.string(),
  prices: v.pipe(
    v.array(v.tuple([v.pipe(v.string(), v.isoDate()), v.nullable(v.number())])),
    v.minLength(1),
  ),
});

/** The end of the names of price files. */
export const fileEnding = ".jsonl.gz";

/**
 * Returns the names of the shops that have a file in the folder, sorted.
 * @throws Error if the folder has no such file
 */
export function shopsIn(folder: string): readonly string[] {
  const shops = readdirSync(folder)
    .filter((name) => name.endsWith(fileEnding))
    .map((name) => name.slice(0, -fileEnding.length));
  if (shops.length === 0) {
    throw new Error(
      `The folder ${folder} of --prices must contain files that end in ${fileEnding}.`,
    );
  }
  return shops.toSorted();
}

/**
 * Reads the price histories of a shop from its file.
 * @param productsMax the maximum number of products to return; they are spread evenly over the file
 * @throws Error if the file does not exist or a line is malformed
 */
export function readShop(folder: string, shop: string, productsMax = Infinity): ShopPrices {
  const text = gunzipSync(readFileSync(join(folder, `${shop}${fileEnding}`))).toString();
  const lines = text.split("\n").filter((line) => line !== "");
  const inFile = lines.length;
  const wanted = Math.min(productsMax, inFile);
  const chosen = (n: number): number => Math.floor((n * wanted) / inFile);
  const sample = lines.filter((_, n) => chosen(n + 1) > chosen(n));
  return { shop, inFile, products: sample.map(productOf) };
}

function productOf(line: string): Product {
  const { id, prices } = v.parse(lineSchema, JSON.parse(line));
  const lastOfDay = new Map(prices.map(([day, amount]) => [day, amount === 0 ? null : amount]));
  return { id, prices: Array.from(lastOfDay, ([day, price]) => ({ day, price })) };
}
