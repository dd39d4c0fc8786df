import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { playEngine, playModel } from "../../run-model/play.ts";
import { anyScenario, type Scenario } from "../../support/run-scenarios.ts";
import { openTables } from "../../support/tables.ts";

/** METAMORPHIC_RUNS=100 plays that number of random scenarios of each kind instead of a few. */
const numRuns = Number(process.env["METAMORPHIC_RUNS"] ?? 1);

const tables = openTables();

type Way = Pick<Scenario, "batchIdsMax" | "deliveries" | "shuffle" | "crash">;
const plainly: Way = { batchIdsMax: 1_000, deliveries: 1, shuffle: null, crash: null };

/**
 * Enough items that each kind of event needs two parts, because every price changes in each run.
 */
const items = Array.from({ length: 510 }, (_, n) => String(100_000 + n));
const check: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [
        { when: "changed", notify: true },
        { when: "always", notify: true },
      ],
    },
  ],
};
const longList: Omit<Scenario, keyof Way> = {
  platform: "retailer_d",
  pipelines: [check, check],
  items: Object.fromEntries(
    items.map((id) => [
      id,
      {
        "retailer_d.standard": [
          { status: "ok", fields: { price: 10, inStock: true } },
          { status: "ok", fields: { price: 12, inStock: true } },
        ],
      },
    ]),
  ),
  given: {},
  runs: [
    { trigger: "tick", credits: null, pipeline: 0 },
    { trigger: "tick", credits: null, pipeline: 0 },
  ],
};

describe("a run", () => {
  it.each<[string, Way]>([
    ["in batches of 1", { ...plainly, batchIdsMax: 1 }],
    ["in batches of 7", { ...plainly, batchIdsMax: 7 }],
    ["in batches of 90", { ...plainly, batchIdsMax: 90 }],
    ["with every message delivered twice", { ...plainly, batchIdsMax: 7, deliveries: 2 }],
    ["with messages in another order", { ...plainly, batchIdsMax: 1, shuffle: 7 }],
  ])(
    "that is executed in another way (%s) leads to the same events, charges and rows as a run with one batch per step",
    async (_, way) => {
      await fc.assert(
        fc.asyncProperty(anyScenario(8), async (scenario) => {
          const asOneBatch = await playEngine({ ...scenario, ...plainly }, tables);

          expect(await playEngine({ ...scenario, ...way }, tables)).toEqual(asOneBatch);
        }),
        { numRuns, endOnFailure: true },
      );
    },
    600_000,
  );

  it.each([7, 90, 1_000])(
    "of 510 items in batches of %i items has events of at most 500 items, in ID order",
    async (batchIdsMax) => {
      const scenario = { ...longList, ...plainly, batchIdsMax };

      const outcomes = await playEngine(scenario, tables);

      expect(outcomes).toEqual(playModel(scenario));
      expect(outcomes[1]?.events.map(({ type, part, parts }) => [type, part, parts])).toEqual([
        ["watchlist.product.changed", 1, 2],
        ["watchlist.product.changed", 2, 2],
        ["watchlist.product.matched", 1, 2],
        ["watchlist.product.matched", 2, 2],
      ]);
    },
  );
});
