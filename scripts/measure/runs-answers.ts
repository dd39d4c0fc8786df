/**
 * A source of retailer_a whose answers are files, one for each call of a run. The files are written
 * before the run begins, so a measurement of the run includes neither a network nor the creation of
 * the answers.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../../shared/base/assert.ts";
import type { Answer, ProductFields } from "../../shared/scrapers/scraper.ts";

/** A tier of `retailer_a`. */
export type Tier = "pulse" | "lite" | "full";

/** The maximum number of IDs in one call. */
const callIdsMax = 1_000;
/** One in this many items changes from one run to the next. */
const changedEvery = 100;

interface ShopItem {
  readonly id: string;
  /** The number of the last run in which the item's offers changed. */
  readonly changedIn: number;
  readonly position: number;
}

/**
 * Returns the items of a simulated watchlist with their values after a run, in the order of the
 * item IDs.
 * @param list The name of the watchlist, from which the IDs follow.
 * @param count The number of items.
 * @param runNumber The number of the run, from 1.
 */
export function itemsAt(list: string, count: number, runNumber: number): readonly ShopItem[] {
  const ids = Array.from({ length: count }, (_, n) => idOf(`${list} ${n}`)).toSorted();
  return ids.map((id, position) => {
    const turn = position % changedEvery;
    return { id, position, changedIn: turn >= 2 && turn <= runNumber ? turn : 1 };
  });
}

/**
 * Returns the items that changed since the previous run; none for run 1.
 * @param items The items of the watchlist after the run.
 * @param runNumber The number of the run.
 */
export const itemsChangedIn = (
  items: readonly ShopItem[],
  runNumber: number,
): readonly ShopItem[] =>
  runNumber < 2 ? [] : items.filter((item) => item.changedIn === runNumber);

/**
 * Deletes all files in `dir`, and writes the answers of the source for the next run. Each file
 * contains the answers to one call, for at most 1,000 items, as a JSON array.
 * @param calls The reads of the run: for each read, its tier and its items. A read of more than
 * 1,000 items takes several calls.
 */
export function writeAnswers(
  dir: string,
  calls: readonly { readonly tier: Tier; readonly items: readonly ShopItem[] }[],
): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const fetchedAt = new Date().toISOString();
  for (const { tier, items } of calls) {
    for (let start = 0; start < items.length; start += callIdsMax) {
      const part = items.slice(start, start + callIdsMax);
      const answers: Answer[] = part.map((item) => ({
        id: item.id,
        status: "ok",
        fetchedAt,
        fields: fieldsOf(item, tier),
      }));
      const file = join(dir, fileOf(tier, part[0]?.id ?? "", part.length));
      writeFileSync(file, JSON.stringify(answers));
    }
  }
}

/**
 * Returns the source's answers to one call, from the file that `writeAnswers` wrote.
 * @param dir The folder of the files.
 * @param tier The tier of the call.
 * @throws Error if no file was written for the call.
 */
export const answersOf = (dir: string, tier: string, ids: readonly string[]): readonly Answer[] =>
  parseFile(join(dir, fileOf(tier, ids[0] ?? "", ids.length)));

/**
 * Returns an entry for each answer file in a folder: the tier, and a function that returns the
 * answers. The function reads and parses the file at each call, so that a measurement includes this
 * work.
 * @throws Error if the name of a file does not begin with a tier.
 */
export function answerFiles(
  dir: string,
): readonly { readonly tier: Tier; readonly read: () => readonly Answer[] }[] {
  return readdirSync(dir).map((name) => {
    const tier = name.split("-")[0];
    assert(
      tier === "pulse" || tier === "lite" || tier === "full",
      "the name of a file must be a tier",
    );
    return { tier, read: () => parseFile(join(dir, name)) };
  });
}

const parseFile = (file: string): readonly Answer[] =>
  JSON.parse(readFileSync(file, "utf8")) as readonly Answer[];

const fileOf = (tier: string, firstId: string, count: number): string =>
  `${tier}-${firstId}-${count}.json`;

const digest = (text: string): Buffer => createHash("sha512").update(text).digest();

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/**
 * Returns a random-looking item ID, because IDs in sequence would compress better than real IDs.
 */
const idOf = (seed: string): string =>
  `B0${Array.from(digest(seed).subarray(0, 8), (byte) => letters[byte % letters.length]).join("")}`;

function fieldsOf(item: ShopItem, tier: Tier): ProductFields {
  const { id, changedIn } = item;
  const seed = digest(id).readUInt32BE(0);
  const price = Math.round(500 + (seed % 40_000) + changedIn * 137) / 100;
  const counts = { newCount: 1 + ((seed + changedIn) % 24), newMinPrice: price };
  if (tier === "pulse") return { retailer_a: counts };
  const lite = liteFields({ ...item, seed, price }, counts);
  return tier === "lite" ? lite : { ...lite, ...fullFields(id, seed, lite) };
}

const brands = ["Norvane", "Ostrelle", "Calderon", "Vintmark", "Haldera", "Pellworth"];
const goods = ["Espresso Machine", "Mirrorless Camera", "Desk Lamp", "Travel Backpack", "Kettle"];
const kinds = ["Small Kitchen Appliances", "Cameras", "Lighting", "Luggage", "Kitchen"];

const oneOf = (words: readonly string[], seed: number): string => words[seed % words.length] ?? "";

function liteFields(
  { id, seed, price, changedIn }: ShopItem & { readonly seed: number; readonly price: number },
  counts: { readonly newCount: number; readonly newMinPrice: number },
): ProductFields & { readonly retailer_a: object } {
  const brand = oneOf(brands, seed);
  const merchant = seed % 200;
  const isFba = seed % 3 > 0;
  const seller = isFba ? "Retailer A" : `Seller ${merchant}`;
  return {
    title: `${brand} ${oneOf(goods, seed)} ${id.slice(4)}, ${1 + (seed % 9)} Pack, Model ${seed % 1_000}`,
    url: `https://retailer-a.example/dp/${id}`,
    price: { amount: price, currency: "USD" },
    availability: { inStock: true, message: "In Stock" },
    seller: { name: seller },
    fulfillment: { byPlatform: isFba, name: "Retailer A" },
    retailer_a: {
      brand,
      displayCategory: oneOf(kinds, seed),
      listPrice: Math.round(price * 125) / 100,
      buybox: {
        // About 100 random characters, like real values.
        offerListingId: Buffer.concat([
          digest(`offer ${id} ${changedIn}`),
          digest(`rest ${id} ${changedIn}`).subarray(0, 11),
        ]).toString("base64"),
        price,
        condition: "new",
        merchant: {
          id: `A${digest(`merchant ${merchant}`).toString("hex").slice(0, 13)}`,
          name: seller,
        },
        isFba,
        availabilityType: "in_stock",
      },
      ...counts,
      usedCount: seed % 4,
      usedMinPrice: seed % 4 === 0 ? null : Math.round(price * 70) / 100,
      rating: 3 + (seed % 20) / 10,
      reviewsCount: seed % 9_000,
      delivery: {
        date: `2026-12-0${1 + (seed % 5)}`,
        message: `FREE delivery Tuesday, December ${1 + (seed % 5)}`,
        free: true,
      },
    },
  };
}

const sentence =
  "Made for daily use: the housing is closed with screws, and every part that wears can be ordered and replaced at home within minutes by anyone who has one screwdriver.";

function fullFields(
  id: string,
  seed: number,
  lite: { readonly retailer_a: object },
): ProductFields {
  return {
    images: Array.from(
      { length: 5 + (seed % 4) },
      (_, n) => `https://retailer-a.example/images/${id}_${n}_large.jpg`,
    ),
    retailer_a: {
      ...lite.retailer_a,
      description: Array.from({ length: 7 }, (_, n) => `${n + 1}. ${id}: ${sentence}`),
      attributes: Array.from({ length: 16 }, (_, n) => ({
        name: `Attribute ${n + 1}`,
        value: `${oneOf(goods, seed + n)} ${(seed >> n) % 500}`,
      })),
      isParent: false,
    },
  };
}
