import type { ListChangesData } from "../generated/schemas.ts";
import { textOf } from "./arguments.ts";
import type { Command } from "./command.ts";
import { writeRows } from "./output.ts";

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
