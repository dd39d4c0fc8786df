import type { ReadAllOptions } from "../products.ts";
import { required, textOf, wholeNumber } from "./arguments.ts";
import { type Command, platformOption } from "./command.ts";
import { itemsOf, type ListedItem } from "./ids.ts";
import { writeRows } from "./output.ts";

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
    from: {
      type: "string",
      value: "<file>",
      about: "the CSV file, or - for standard input (required)",
    },
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
