/** Derives the fields that only the tier `full` returns: description, attributes and pictures. */
import type { HistoryProduct } from "./product.ts";
import { paragraphsOf } from "../contract/html-text.ts";

const imagesMax = 20;
const paragraphsMax = 50;
const textLengthMax = 1_000;
/**
 * Matches a file name without path separators, so that the name cannot lead to another folder or
 * host.
 */
const fileName = /^[\w%+,~-][\w%+,.~-]{0,150}\.(?:jpe?g|png|gif|webp)$/i;

/**
 * Returns HTML as one line of at most 1,000 characters, without tags. Returns undefined if `text`
 * is undefined or no text remains.
 */
export function plainText(text: string | undefined): string | undefined {
  const line = paragraphsOf(text ?? "").join(" ");
  return line === "" ? undefined : line.slice(0, textLengthMax);
}

/**
 * Returns the paragraphs of the product's features, followed by those of its description: at most
 * 50 in total. Cuts each paragraph after 1,000 characters.
 */
export const descriptionOf = ({ features, description }: HistoryProduct): string[] =>
  [...features, description]
    .flatMap((text) => paragraphsOf(text ?? ""))
    .map((paragraph) => paragraph.slice(0, textLengthMax))
    .slice(0, paragraphsMax);

/**
 * Returns the addresses of at most 20 different pictures. Returns an empty array if `imageBaseUrl`
 * is undefined.
 */
export function imagesOf({ images }: HistoryProduct, imageBaseUrl: string | undefined): string[] {
  if (imageBaseUrl === undefined) return [];
  const base = imageBaseUrl.replace(/\/+$/, "");
  const names = images.map((image) => image?.l ?? image?.m ?? "").filter(isFileName);
  return [...new Set(names)].slice(0, imagesMax).map((name) => `${base}/${name}`);
}

const isFileName = (name: string): boolean => fileName.test(name) && !name.includes("..");

/**
 * Returns the product's attributes with their English names. Omits attributes that the source does
 * not know.
 */
export function attributesOf(product: HistoryProduct): { name: string; value: string }[] {
  const { itemLength: length = 0, itemWidth: width = 0, itemHeight: height = 0 } = product;
  const hasSize = length > 0 && width > 0 && height > 0;
  const attributes: readonly (readonly [string, string | undefined])[] = [
    ["Brand", product.brand],
    ["Manufacturer", product.manufacturer],
    ["Model", product.model],
    ["Part Number", product.partNumber],
    ["Color", product.color],
    ["Size", product.size],
    ["Style", product.style],
    ["Pattern", product.pattern],
    ["Material", product.materials.filter((one) => one !== undefined).join(", ")],
    ["Edition", product.edition],
    ["Binding", product.binding],
    ["Number of Items", formatCount(product.numberOfItems)],
    ["Number of Pages", formatCount(product.numberOfPages)],
    ["Item Weight", formatCount(product.itemWeight, " g")],
    ["Item Dimensions", hasSize ? `${length} x ${width} x ${height} mm` : undefined],
    ["UPC", product.upcList[0]],
    ["EAN", product.eanList[0]],
  ];
  return attributes.flatMap(([name, text]) => {
    const value = plainText(text);
    return value === undefined ? [] : [{ name, value }];
  });
}

const formatCount = (count: number | undefined, unit = ""): string | undefined =>
  count === undefined || count <= 0 ? undefined : `${count}${unit}`;
