import { expect, it } from "vitest";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { type Outcome, playEngine, playModel } from "../../run-model/play.ts";
import type { Scenario } from "../../support/run-scenarios.ts";
import { openTables } from "../../support/tables.ts";

/** CRASH_STEP=1 tests every call at which the process can die, instead of every 6th. */
const step = Number(process.env["CRASH_STEP"] ?? 6);
/** More than the number of calls in a run of one item. */
const callsMax = 24;

const tables = openTables();

const pipeline: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [
        { when: "changed", field: "price", min_delta: 5, notify: true },
        { when: "changed", field: "inStock", cooldown: "2h", notify: true },
        {
          when: "ok",
          field: "price",
          op: "below",
          value: 98,
          confirm: 2,
          once: true,
          notify: true,
        },
      ],
    },
  ],
};

/** One item in five runs, an hour apart. Each message is handled twice. */
const scenario: Scenario = {
  platform: "retailer_d",
  pipelines: [pipeline, pipeline],
  items: {
    "9000001": {
      "retailer_d.standard": [
        { status: "ok", fields: { price: 100, inStock: true } },
        { status: "ok", fields: { price: 97, inStock: false } },
        { status: "ok", fields: { price: 95, inStock: true } },
        { status: "ok", fields: { price: 95, inStock: true } },
        { status: "ok", fields: { price: 94, inStock: true } },
      ],
    },
  },
  given: {},
  runs: Array.from({ length: 5 }, () => ({ trigger: "tick", credits: null, pipeline: 0 })),
  batchIdsMax: 1_000,
  deliveries: 2,
  shuffle: null,
  crash: null,
};

/** The fields that the changed and matched events of each run contain. */
const eventsOf = (outcomes: readonly Outcome[]): readonly (readonly string[])[] =>
  outcomes.map(({ events }) =>
    events.flatMap(({ entries }) =>
      (entries as readonly { changes?: object; branch?: string }[]).flatMap(
        ({ changes = {}, branch = [] }) => Object.keys(changes).concat(branch),
      ),
    ),
  );

it("routes with limits match the same reads even if every queue message arrives twice", async () => {
  const outcomes = await playEngine(scenario, tables);

  expect(outcomes).toEqual(playModel(scenario));
  // In run 3, the price is 5 lower than the price of run 1, which is its reference value. The stock
  // changes back in run 3, and run 4 reports this change, because run 3 is within the cooldown.
  expect(eventsOf(outcomes)).toEqual([[], ["inStock"], ["price", "ok"], ["inStock"], []]);
});

it.each([1, 2])(
  "routes with limits match the same reads even if the process of the run with the number %i dies at any external call",
  async (run) => {
    const expected = playModel(scenario);
    for (let call = 1; call <= callsMax; call += step) {
      for (const when of ["before", "after"] as const) {
        const played = await playEngine({ ...scenario, crash: { run, call, when } }, tables);
        expect(played, `${when} call ${call}`).toEqual(expected);
      }
    }
  },
);
