/**
 * Creates the fields that only the tier `full` of `retailer_a` returns: description, attributes and
 * pictures.
 */
import { brandOf, kindOf, modelOf, type ItemMoment, titleOf } from "./catalog.ts";
import { type Draw, pick } from "./draw.ts";

const paragraphs = [
  "Made for daily use: the housing is closed with screws instead of glue, and every part that wears " +
    "can be ordered and replaced at home within minutes. The order numbers of all of them are on " +
    "the last page of the printed manual, and on a label inside the lid.",
  "Set up without tools: unfold it, connect it, and follow the three steps on the card that lies on " +
    "top of the box. It keeps its settings when it loses power, and it starts where it stopped. No " +
    "account is needed, and nothing has to be installed on another device.",
  "Tested for five years of ordinary wear: buttons were pressed two hundred thousand times, hinges " +
    "opened thirty thousand times, and the cable was bent until it broke, which took a good deal " +
    "longer than we had planned for. What was learned went into this version.",
  "Quiet where it counts: at the usual setting it is not louder than a library, and in the night " +
    "mode it switches off its lights too. The fan, where there is one, runs in rubber bearings and " +
    "can be lifted out for cleaning with one hand.",
  "Packed to be sent: the box is made of recycled cardboard without plastic, small enough for a " +
    "letter box slot where the product allows it, and strong enough to be used again should it have " +
    "to go back. Returns are free of charge for as long as the shop says.",
  "What is in the box: the product itself, a mains adapter for the country of the shop, a cable of " +
    "one and a half metres, a cleaning cloth, the printed manual in three languages, and a card " +
    "with the address of the people who answer questions about it.",
  "A word on sizes: the measures below include feet, handles and plugs. Leave a hand's width of air " +
    "behind it, and do not stack anything on top while it is in use. It may be hung on a wall with " +
    "two screws, whose drilling template is printed on the inside of the box.",
] as const;

const paragraphsMin = 5;

/** Returns the paragraphs of an item's invented description. */
export function descriptionOf({ id, draw }: ItemMoment): string[] {
  const more = Math.floor(draw("description") * (paragraphs.length - paragraphsMin + 1));
  const first = `${titleOf("retailer_a", id, draw)} by ${brandOf(draw)}.`;
  return [first, ...paragraphs.slice(0, paragraphsMin + more)];
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** Returns the invented attributes of an item, which never change. */
export const attributesOf = ({ id, draw }: ItemMoment): Attribute[] => [
  { name: "Brand", value: brandOf(draw) },
  { name: "Manufacturer", value: `${brandOf(draw)} Products` },
  { name: "Model Name", value: modelOf(id, draw) },
  { name: "Item Model Number", value: `${modelOf(id, draw)}-${id.slice(-6)}` },
  { name: "Product Category", value: kindOf("retailer_a", id, draw).category },
  { name: "Color", value: pick(["Black", "White", "Silver", "Blue"], draw("color")) },
  { name: "Material", value: pick(["Aluminum", "Plastic", "Steel", "Wood"], draw("material")) },
  { name: "Item Weight", value: `${(0.2 + draw("weight") * 9).toFixed(1)} pounds` },
  { name: "Product Dimensions", value: dimensionsOf(draw) },
  { name: "Number of Items", value: "1" },
  { name: "Included Components", value: "Adapter, Cable, Cleaning Cloth, Manual" },
  { name: "Country of Origin", value: pick(["Germany", "Japan", "Mexico"], draw("origin")) },
  { name: "Warranty", value: pick(["1 year", "2 years", "5 years"], draw("warranty")) },
  { name: "Batteries Required", value: draw("batteries") < 0.3 ? "Yes" : "No" },
  { name: "Global Trade Identification Number", value: `0${id.length}${digitsOf(draw)}` },
  { name: "Date First Available", value: `January ${2_015 + Math.floor(draw("since") * 10)}` },
];

const inches = (fraction: number): string => (1 + fraction * 24).toFixed(1);
const dimensionsOf = (draw: Draw): string =>
  `${inches(draw("depth"))} x ${inches(draw("width"))} x ${inches(draw("height"))} inches`;
const digitsOf = (draw: Draw): string => String(Math.floor(draw("gtin") * 1e10)).padStart(10, "0");

const imagesMin = 5;
const imagesMore = 5;

/** Returns the addresses of 5 to 9 pictures of an item. The addresses do not exist. */
export function imagesOf({ id, draw }: ItemMoment): string[] {
  const length = imagesMin + Math.floor(draw("images") * imagesMore);
  return Array.from(
    { length },
    (_, n) => `https://retailer-a.example/images/${id}_${n + 1}_large.jpg`,
  );
}
