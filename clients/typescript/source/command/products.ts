import type { ReadAllOptions } from "../products.ts";
import { required, textOf, wholeNumber } from "./arguments.ts";
import { type Command, platformOption } from "./command.ts";
import { idsOf } from "./ids.ts";
import { type Row, writeRows } from "./output.ts";

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
      about: "the number of IDs to skip, because an earlier command has read them (default: 0)",
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
