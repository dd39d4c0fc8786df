import type { Event } from "../events.ts";
import type { Command } from "./command.ts";
import { feed, feedOptions } from "./feed.ts";
import type { Row } from "./output.ts";

/** Returns the cells of an event in a table. */
function eventRow(event: Event): Row {
  const { data } = event;
  const items = "changes" in data ? data.changes : "products" in data ? data.products : [];
  return { ...event, run_number: data.run_number, items: items.length };
}

export const tail: Command = {
  name: "events tail",
  about:
    "Shows events as they are published, until you press Ctrl-C. To continue later, use --after.",
  options: feedOptions,
  examples: ["events tail", "events tail --json --after evt_1m7xv93dgyexkfrp3w2953xb"],
  async run({ client, values, format, output, signal }) {
    if (format === "csv") await output.write("created_at,type,id,run_number,items\n");
    let last: string | undefined;
    try {
      for await (const event of feed(client(), values, { output, signal })) {
        if (format === "json") await output.write(`${JSON.stringify(event)}\n`);
        else {
          const { created_at: at, type, id, run_number: run, items } = eventRow(event);
          const cells = [at, type, id, run, items];
          await output.write(`${cells.join(format === "csv" ? "," : "  ")}\n`);
        }
        last = event.id;
      }
    } finally {
      if (last !== undefined) output.warn(`Continue with --after ${last}\n`);
    }
  },
};
