import { isPlatform } from "../../shared/platforms/catalog.ts";
import { plainLine } from "../../shared/sources/contract/html-text.ts";
import { decimalsOf } from "../../shared/sources/storefront/minor-units.ts";
import { contextOf } from "../../shared/sources/storefront/tool-call.ts";
import { subcommand } from "../../tools/command-line/command-group.ts";
import { jsonOption } from "../../tools/command-line/command-line.ts";
import {
  fitsPlatform,
  type FoundItem,
  idTemplateOf,
  itemsOf,
} from "../../tools/sources/storefront/found-items.ts";
import { parseStore, searchStore } from "../../tools/sources/storefront/store-client.ts";
import { wholeNumberFrom } from "../../tools/command-line/whole-number.ts";

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

/** The command `npm run storefront -- search`, which searches a store. */
export const searchCommand = subcommand(commandLine, async ({ values, positionals }) => {
  const [store = "", ...words] = positionals;
  if (store === "")
    throw new Error(
      "The first argument must be the address of a store, such as https://store.example.",
    );
  const { platform, marketplace, profile: profileUrl } = values;
  if (!isPlatform(platform) || platform === "retailer_a") {
    throw new Error(
      `--platform must be one of retailer_b, retailer_c, retailer_d (got "${platform}").`,
    );
  }
  const context = contextOf(marketplace);
  if (context === undefined) {
    throw new Error(
      `--marketplace must be the code of a country, such as us (got "${marketplace}").`,
    );
  }
  const query = words.join(" ").trim();
  if (query === "")
    throw new Error('The second argument must be the words to search for, such as "lamp".');
  const address = parseStore(store);
  const limit = wholeNumberFrom("--limit", values.limit, { from: 1, to: 100 });
  const products = await searchStore({ store: address, query, limit, marketplace, profileUrl });
  const items = itemsOf(products);
  const template = idTemplateOf(items);
  const ids = items.map(({ id }) => id).filter((id) => fitsPlatform(id, platform));
  const output = { store: address, platform, id_template: template ?? null, ids, items };
  process.stdout.write(
    values.json === true ? `${JSON.stringify(output)}\n` : textOf(output, context.currency),
  );
});

interface SearchOutput {
  readonly store: string;
  readonly platform: string;
  readonly id_template: string | null;
  readonly ids: readonly string[];
  readonly items: readonly FoundItem[];
}

/**
 * Matches text without characters that have a special meaning for a shell or for the option
 * `--source`.
 */
const plainTemplate = /^[\w:/.{}-]+$/;

function textOf(
  { store, platform, id_template: template, ids, items }: SearchOutput,
  currency: string,
): string {
  if (items.length === 0) return `${store} has no product with these words.\n`;
  const rows = items.map(({ id, price, currency: stated, in_stock: inStock, title }) => [
    plainLine(id),
    shownPrice(price, stated),
    inStock === null ? "-" : inStock ? "in stock" : "sold out",
    title,
  ]);
  const lines = tableOf([["ID", "price", "stock", "title"], ...rows]);
  const foreign = items.find((item) => item.currency !== null && item.currency !== currency);
  if (foreign !== undefined) {
    lines.push(
      "",
      `The store has prices in ${foreign.currency}, not in ${currency}. The service reports such items as unavailable.`,
    );
  }
  const unfit = items.length - ids.length;
  if (unfit > 0 && ids.length > 0) {
    lines.push("", `${unfit} of these IDs do not have the format of an ID of ${platform}.`);
  }
  if (ids.length === 0) {
    return [...lines, "", `None of these IDs has the format of an ID of ${platform}.`, ""].join(
      "\n",
    );
  }
  return [
    ...lines,
    "",
    "For a watchlist:",
    `  "platform": "${platform}", "ids": ${JSON.stringify(ids)}`,
    ...startLines(platform, store, template),
    "",
  ].join("\n");
}

/**
 * Returns the lines about how to read the found items: the command to run, or the reason why there
 * is none. Text of a store with special characters must not become part of a command.
 */
function startLines(platform: string, store: string, template: string | null): string[] {
  if (template === null) return ["The IDs of the store have no common format, so set idTemplate."];
  if (!plainTemplate.test(template))
    return ["The IDs of the store contain unusual characters, so set idTemplate."];
  return [
    "To read these items:",
    `  npm start -- --source '${platform}=storefront,${store},idTemplate=${template}'`,
  ];
}

const shownPrice = (price: number | null, currency: string | null): string =>
  price === null || currency === null ? "-" : `${price.toFixed(decimalsOf(currency))} ${currency}`;

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
