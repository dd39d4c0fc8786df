/**
 * The products of the sandbox's shops: invented brands and products, which are chosen by a hash of
 * the item ID.
 */
import type { Platform } from "../../platforms/catalog.ts";
import { type Draw, hourMs, pick, periodOf, cents } from "./draw.ts";

const brands = [
  "Kelwick",
  "Norvane",
  "Tarbolt",
  "Ostrelle",
  "Pellune",
  "Hexworth",
  "Brindal",
  "Quillmere",
] as const;

interface Kind {
  readonly category: string;
  readonly noun: string;
  /** The range of typical prices, in whole units of the marketplace currency. */
  readonly from: number;
  readonly to: number;
}

const kinds: readonly Kind[] = [
  { category: "Headphones", noun: "Wireless Headphones", from: 29, to: 349 },
  { category: "Televisions", noun: '55" Television', from: 299, to: 1_899 },
  { category: "Laptops", noun: '14" Laptop', from: 399, to: 2_199 },
  { category: "Small Kitchen Appliances", noun: "Espresso Machine", from: 89, to: 799 },
  { category: "Vacuum Cleaners", noun: "Cordless Vacuum", from: 99, to: 649 },
  { category: "Cameras", noun: "Mirrorless Camera", from: 449, to: 2_499 },
  { category: "Smart Home", noun: "Video Doorbell", from: 49, to: 249 },
  { category: "Computer Accessories", noun: "Mechanical Keyboard", from: 39, to: 229 },
];

const book: Kind = { category: "Books", noun: "A Field Guide, Volume", from: 9, to: 59 };
/** Matches the ID of a book, which is its ISBN-10. */
const bookId = /^\d{9}[\dX]$/;

/**
 * Returns the invented brand of an item.
 * @param draw the pseudorandom function of the item
 */
export const brandOf = (draw: Draw): string => pick(brands, draw("brand"));

/**
 * Returns the invented kind of an item, such as a book. An ISBN-10 on `retailer_a` is always a
 * book.
 * @param draw the pseudorandom function of the item
 */
export const kindOf = (platform: Platform, id: string, draw: Draw): Kind =>
  platform === "retailer_a" && bookId.test(id) ? book : pick(kinds, draw("kind"));

/**
 * Returns the title of an item: brand, noun of its kind, and model name.
 * @param draw the pseudorandom function of the item
 */
export const titleOf = (platform: Platform, id: string, draw: Draw): string =>
  `${brandOf(draw)} ${kindOf(platform, id, draw).noun} ${modelOf(id, draw)}`;

/**
 * Returns a model name: a letter, then the last four characters of the ID.
 * @param draw the pseudorandom function of the item
 */
export const modelOf = (id: string, draw: Draw): string =>
  `${String.fromCharCode(65 + Math.floor(draw("model letter") * 26))}${id.slice(-4)}`;

/**
 * Lengths of the periods, in milliseconds, after which a price or the stock may change. The periods
 * of each item begin at different times.
 */
const pricePeriodMs = 6 * hourMs;
const stockPeriodMs = 12 * hourMs;
const saleShare = 0.2;
const saleDepthMax = 0.4;

/** An item of the sandbox at a given time, with its pseudorandom function. */
export interface ItemMoment {
  readonly platform: Platform;
  readonly id: string;
  readonly at: Date;
  readonly currency: string;
  readonly draw: Draw;
}

/** Returns the regular and the current price of an item, in the marketplace currency. */
export function priceAt({ platform, id, at, draw }: ItemMoment): {
  readonly regularPrice: number;
  readonly amount: number;
} {
  const { from, to } = kindOf(platform, id, draw);
  const period = periodOf(at, pricePeriodMs, draw("phase"));
  const regularPrice = Math.round(from + draw("regular price") * (to - from)) + 0.99;
  if (draw("sale", period) >= saleShare) return { regularPrice, amount: regularPrice };
  const depth = draw("sale depth", period) * saleDepthMax;
  return { regularPrice, amount: cents(regularPrice * (1 - depth)) };
}

/**
 * Returns a pseudorandom number in [0, 1) for the stock of an item. The number can change every 12
 * hours.
 * @param what name of the random value, so that the values of one item are independent
 */
export const stockDrawAt = ({ at, draw }: ItemMoment, what: string): number =>
  draw(what, periodOf(at, stockPeriodMs, draw("phase")));
