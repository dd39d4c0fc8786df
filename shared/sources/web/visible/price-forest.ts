import type { ForestTable } from "./forest.ts";

let table: Promise<ForestTable> | undefined;

/**
 * Loads the trained forest that selects the price among the amounts of a page. `npm run train:web`
 * writes the table of the forest. The table is loaded at the first call, so that functions without
 * the adapter `web` do not load it.
 */
export const priceForest = (): Promise<ForestTable> =>
  (table ??= import("./price-forest.json", { with: { type: "json" } }).then(
    (module) => module.default,
  ));
