import { isPlatform } from "../../shared/platforms/catalogue.ts";
import { subcommand } from "../../tools/command-line/command-group.ts";
import { jsonOption } from "../../tools/command-line/command-line.ts";
import {
  fitsPlatform,
  type FoundItem,
  idTemplateOf,
  itemsOf,
} from "../../tools/sources/storefront/found-items.ts";
import { parseStore, searchStore } from "../../tools/sources/storefront/store-client.ts";
import { wholeNumberFrom } from "../../tools/sources/upstream/command-line.ts";

const platformDefault = "retailer_b";

const commandLine = {
  name: "npm run storefront -- search",
  about:
    "Searches a store's catalog, and prints IDs, prices and titles. The last lines are ready for a watchlist.",
  argument: '<store> "<words>"',
  options: {
    limit: {
      type: "string",
      value: "<number>",
      default: "10",
      about: "the maximum number of products, each with all its variants that the store returns",
    },
    platform: {
      type: "string",
      value: "<platform>",
      default: platformDefault,
      about: "the platform whose IDs the items get",
    },
    marketplace: {
      type: "string",
      value: "<code>",
      default: "us",
      about: "the country and currency of the prices",
    },
    profile: {
      type: "string",
      value: "<url>",
      about:
        "the agent profile that the store reads; by default the one that a platform publishes for trials",
    },
    json: jsonOption,
  },
  examples: [
    'https://store.example "espresso machine"',
    'http://127.0.0.1:9910 "espresso machine" --json',
  ],
} as const;

/** `npm run storefront -- search` */
export const searchCommand = subcommand(commandLine, async ({ values, positionals }) => {
  const [store = "", ...words] = positionals;
  if (store === "") throw new Error("The first argument must be the address of a store.");
  const { platform, marketplace, profile: profileUrl } = values;
  if (!isPlatform(platform) || platform === "retailer_a") {
    throw new Error(
      `--platform must be one of retailer_b, retailer_c, retailer_d (got "${platform}").`,
    );
  }
  const address = parseStore(store);
  const limit = wholeNumberFrom("--limit", values.limit, { from: 1, to: 100 });
  const query = words.join(" ").trim();
  const products = await searchStore({ store: address, query, limit, marketplace, profileUrl });
  const items = itemsOf(products);
  const template = idTemplateOf(items);
  const ids = items.map(({ id }) => id).filter((id) => fitsPlatform(id, platform));
  const found = { store: address, platform, id_template: template ?? null, ids, items };
  process.stdout.write(values.json === true ? `${JSON.stringify(found)}\n` : textOf(found));
});

interface Found {
  readonly store: string;
  readonly platform: string;
  readonly id_template: string | null;
  readonly ids: readonly string[];
  readonly items: readonly FoundItem[];
}

function textOf({ store, platform, id_template: template, ids, items }: Found): string {
  if (items.length === 0) return `${store} has no product with these words.\n`;
  const rows = items.map(({ id, price, currency, in_stock: inStock, title }) => [
    id,
    price === null ? "-" : `${price.toFixed(2)} ${currency}`,
    inStock === null ? "-" : inStock ? "in stock" : "sold out",
    title,
  ]);
  const lines = tableOf([["ID", "price", "stock", "title"], ...rows]);
  if (ids.length === 0) {
    return [...lines, "", `None of these IDs has the form of an ID of ${platform}.`, ""].join("\n");
  }
  return [
    ...lines,
    "",
    "For a watchlist:",
    `  "platform": "${platform}", "ids": ${JSON.stringify(ids)}`,
    "To read these items:",
    `  npm start -- --source '${platform}=storefront,${store}${template === null ? "" : `,idTemplate=${template}`}'`,
    "",
  ].join("\n");
}

/** Returns rows as lines, with all columns but the last padded. */
function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, n) => (n === row.length - 1 ? cell : cell.padEnd(widths[n] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
