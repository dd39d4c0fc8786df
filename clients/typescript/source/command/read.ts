import type { ListChangesData } from "../generated/schemas.ts";
import type { ReadAllOptions } from "../products.ts";
import { required, textOf, UsageError } from "./arguments.ts";
import { type Command, platformOption } from "./command.ts";
import { idsOf, itemsOf, type ListedItem } from "./ids.ts";
import { type Row, writeRows } from "./output.ts";

/** @throws UsageError if the value of an option is not a whole number of 0 or more */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(number) || number < 0)
    throw new UsageError(`--${option} must be a whole number of 0 or more (got "${text}").`);
  return number;
}

export const products: Command = {
  name: "products",
  about: "Reads products. Costs credits.",
  argument: "[<id>...]",
  options: {
    platform: platformOption,
    tier: { type: "string", value: "<tier>", about: "pulse, lite or full; required on retailer_a" },
    from: {
      type: "string",
      value: "<file>",
      about: "a CSV file with IDs, or - for standard input",
    },
    start: {
      type: "string",
      value: "<number>",
      about: "the number of IDs that an earlier read has read, to continue after them (default: 0)",
    },
  },
  examples: [
    "products 9000001 9000007 --platform retailer_d",
    "products --from items.csv --platform retailer_a --tier pulse --csv",
  ],
  async run({ client, values, words, format, output, signal }) {
    const platform = required(values, "platform") as ReadAllOptions["platform"];
    const tier = textOf(values, "tier") as ReadAllOptions["tier"];
    const start = wholeNumber("start", textOf(values, "start") ?? "0");
    const options = { platform, start, signal, ...(tier && { tier }) };
    let position = start;
    async function* rows(): AsyncGenerator<Row> {
      const ids = idsOf(words, textOf(values, "from"));
      for await (const batch of client().products.readBatches(ids, options)) {
        for (const one of batch.results)
          yield format === "json"
            ? { ...one }
            : {
                ...one,
                price: one.price?.amount,
                currency: one.price?.currency,
                in_stock: one.availability?.inStock,
              };
        ({ position } = batch);
      }
    }
    const columns = ["id", "status", "price", "currency", "in_stock", "title"];
    try {
      await writeRows(rows(), columns, { format, output });
    } catch (error) {
      if (position > start)
        output.warn(
          `To continue after the last ID that was read, repeat the command with --start ${position}.\n`,
        );
      throw error;
    }
  },
};

export const changes: Command = {
  name: "changes",
  about: "Lists what changed on the items of all watchlists, latest first.",
  options: {
    since: { type: "string", value: "<time>", about: "an ISO 8601 time (default: one day ago)" },
    kind: { type: "string", value: "<kind>", about: "such as price_drop, sold_out or delisted" },
    watchlist: { type: "string", value: "<id>", about: "only this watchlist" },
  },
  examples: ["changes --kind price_drop", "changes --since 2026-11-23T00:00:00Z --csv"],
  async run({ client, values, format, output, signal }) {
    type Query = NonNullable<ListChangesData["query"]>;
    const [since, kind] = [textOf(values, "since"), textOf(values, "kind") as Query["kind"]];
    const query: Query = { ...(since && { since }), ...(kind && { kind }), limit: 1_000 };
    const id = textOf(values, "watchlist");
    const rows =
      id === undefined
        ? client().list("listChanges", { query, signal })
        : client().list("listWatchlistChanges", { path: { id }, query, signal });
    const columns = ["changed_at", "item_id", "kind", "field", "before", "after", "title"];
    await writeRows(rows, columns, { format, output });
  },
};

export const listWatchlists: Command = {
  name: "watchlists",
  about: "Lists the watchlists of the account.",
  options: {},
  examples: ["watchlists", "watchlists --json"],
  async run({ client, format, output, signal }) {
    const columns = ["id", "name", "platform", "status", "item_count", "every", "last_run_at"];
    await writeRows(client().list("listWatchlists", { signal }), columns, { format, output });
  },
};

export const createWatchlist: Command = {
  name: "watchlists create",
  about: "Creates a watchlist from a CSV file with the columns id and, optionally, label.",
  options: {
    name: { type: "string", value: "<name>", about: "the name of the watchlist (required)" },
    platform: platformOption,
    from: { type: "string", value: "<file>", about: "the CSV file, or - for the input (required)" },
    every: { type: "string", value: "<interval>", about: "such as 15m, 6h or 1d (required)" },
    "max-credits-per-run": {
      type: "string",
      value: "<credits>",
      about: "the maximum cost of each run (default: no limit)",
    },
    key: {
      type: "string",
      value: "<text>",
      about: "the idempotency key: a repeat with the same key creates no second watchlist",
    },
  },
  examples: ["watchlists create --name Coffee --platform retailer_d --from items.csv --every 6h"],
  async run({ client, values, format, output, signal }) {
    const items: ListedItem[] = [];
    for await (const item of itemsOf(required(values, "from"))) items.push(item);
    const limit = textOf(values, "max-credits-per-run");
    const body = {
      name: required(values, "name"),
      platform: required(values, "platform") as ReadAllOptions["platform"],
      every: required(values, "every"),
      ids: items,
      ...(limit !== undefined && {
        max_credits_per_run: wholeNumber("max-credits-per-run", limit),
      }),
    };
    const idempotencyKey = textOf(values, "key");
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    const created = await client().call("createWatchlist", { body, signal, ...options });
    const columns = ["id", "name", "platform", "item_count", "next_run_at"];
    await writeRows([{ ...created }], columns, { format, output });
  },
};
