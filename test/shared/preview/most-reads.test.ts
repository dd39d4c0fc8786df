import { expect, it } from "vitest";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { mostReads } from "../../../shared/preview/most-reads.ts";

const pipeline: Pipeline = {
  entry: "scan",
  baseline: "full",
  refresh: null,
  steps: [
    {
      id: "scan",
      scraper: "retailer_a.pulse",
      routes: [
        { when: "changed", run: "full" },
        { when: "changed", run: "offers" },
      ],
    },
    { id: "full", scraper: "retailer_a.full", routes: [{ when: "ok", run: "offers" }] },
    { id: "offers", scraper: "retailer_a.offers", routes: [] },
  ],
};

const shown = (starts: readonly (readonly string[])[]) =>
  mostReads(
    pipeline,
    starts.map((of) => new Set(of)),
  ).map(({ step, items, credits }) => [step.id, items, credits]);

it("the largest possible reads of a step include all items that start there or are routed there, and cost the step's highest price per item", () => {
  expect(shown([["scan"], ["scan"], ["full"]])).toEqual([
    ["scan", 2, 1],
    ["full", 3, 15],
    ["offers", 3, 9],
  ]);
});

it("the largest possible reads of a step include an item once if the item starts there and is also routed there", () => {
  expect(shown([["full", "offers"]])).toEqual([
    ["full", 1, 5],
    ["offers", 1, 3],
  ]);
});

it("the largest possible reads of a run omit the steps that no item can reach", () => {
  expect(shown([["offers"]])).toEqual([["offers", 1, 3]]);
});
