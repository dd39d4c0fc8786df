/** What the sandbox's shops sell: invented brands and products, drawn by a hash of the item's id. */
import type { RetailerDFields, RetailerDState } from "../scrapers/product-fields.ts";

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
  /** Usual prices, in whole units of the marketplace currency. */
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

const conditions = ["New", "New", "New", "New", "New", "New", "Refurbished", "Open-Box"] as const;
const soldOutStates = ["SOLD_OUT", "SOLD_OUT", "COMING_SOON", "CHECK_STORES"] as const;

const hourMs = 60 * 60 * 1_000;
/** A price or the stock may move once in such a time; each item at its own moment of it. */
const priceStepMs = 6 * hourMs;
const stockStepMs = 12 * hourMs;
const saleShare = 0.2;
const saleDepthMax = 0.4;
const soldOutShare = 0.08;
const withoutImageShare = 0.1;
const withoutBrandShare = 0.05;

/** A number in [0, 1) that depends on the parts and on nothing else. */
export type Draw = (...parts: readonly (string | number)[]) => number;

/** Draws for one seed: FNV-1a over the parts, then mixed so that near ids are far apart. */
export function drawFor(seed: string): Draw {
  return (...parts) => {
    const text = [seed, ...parts].join("|");
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
  };
}

export interface ShelfMoment {
  readonly id: string;
  readonly at: Date;
  readonly currency: string;
  readonly draw: Draw;
}

/** A product of retailer_d as its page shows it at a moment. */
export function retailerDFields(moment: ShelfMoment): RetailerDFields {
  const { id, currency, draw } = moment;
  const kind = pick(kinds, draw(id, "kind"));
  const brand = pick(brands, draw(id, "brand"));
  const { regularPrice, amount } = priceAt(moment, kind);
  const state = stateAt(moment);
  const inStock = state === "ADD_TO_CART";
  const hasBrand = draw(id, "without brand") >= withoutBrandShare;
  const hasImage = draw(id, "without image") >= withoutImageShare;
  return {
    title: `${brand} ${kind.noun} ${modelOf(id, draw)}`,
    url: `https://retailer-d.example/product/${id}`,
    price: { amount, currency },
    availability: { inStock, message: inStock ? "In stock" : "Out of stock" },
    seller: { name: "Retailer D" },
    fulfillment: { byPlatform: true },
    ...(hasImage && { images: [`https://retailer-d.example/images/${id}.jpg`] }),
    retailer_d: {
      state,
      regularPrice,
      savings: cents(regularPrice - amount),
      ...(hasBrand && { brand }),
      condition: pick(conditions, draw(id, "condition")),
      category: kind.category,
      purchasable: inStock,
    },
  };
}

function priceAt(
  { id, at, draw }: ShelfMoment,
  { from, to }: Kind,
): { readonly regularPrice: number; readonly amount: number } {
  const step = stepOf({ id, at, draw }, priceStepMs);
  const regularPrice = Math.round(from + draw(id, "regular price") * (to - from)) + 0.99;
  if (draw(id, "sale", step) >= saleShare) return { regularPrice, amount: regularPrice };
  const depth = draw(id, "sale depth", step) * saleDepthMax;
  return { regularPrice, amount: cents(regularPrice * (1 - depth)) };
}

function stateAt({ id, at, draw }: ShelfMoment): RetailerDState {
  const step = stepOf({ id, at, draw }, stockStepMs);
  const isSoldOut = draw(id, "sold out", step) < soldOutShare;
  return isSoldOut ? pick(soldOutStates, draw(id, "sold out state")) : "ADD_TO_CART";
}

/** Which step of its own rhythm an item is in. */
const stepOf = ({ id, at, draw }: Omit<ShelfMoment, "currency">, stepMs: number): number =>
  Math.floor(at.getTime() / stepMs + draw(id, "phase"));

const modelOf = (id: string, draw: Draw): string =>
  `${String.fromCharCode(65 + Math.floor(draw(id, "model letter") * 26))}${id.slice(-4)}`;

function pick<Value>(values: readonly Value[], drawn: number): Value {
  const value = values[Math.floor(drawn * values.length)];
  if (value === undefined) throw new Error("Nothing to pick from");
  return value;
}

const cents = (amount: number): number => Math.round(amount * 100) / 100;
