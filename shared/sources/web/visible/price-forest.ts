import type { ForestTable } from "./forest.ts";

let table: Promise<ForestTable> | undefined;

/**
 * Returns the forest that finds prices in visible text. `npm run train:web` writes its table. The
 * table is loaded on the first call, so that functions without the adapter `web` do not load it.
 */
export const priceForest = (): Promise<ForestTable> =>
  (table ??= import("./price-forest.json", { with: { type: "json" } }).then(
    (module) => module.default,
  ));
