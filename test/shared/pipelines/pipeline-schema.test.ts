import { getExamples, is, parse } from "valibot";
import { describe, expect, it } from "vitest";
import { presentPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import {
  changesSchema,
  openSet,
  pipelineSchema,
  snapshotSchema,
} from "../../../shared/pipelines/pipeline-schema.ts";

describe("the response schemas of pipelines, snapshots and changes", () => {
  it.each(["a", 1.5, true, null])("accept %j as the value of a field", (value) => {
    expect(is(snapshotSchema, { price: value })).toBe(true);
    expect(is(changesSchema, { price: { before: value, after: value } })).toBe(true);
  });

  it.each([[{}], [[]], [undefined]])("refuse %j as the value of a field", (value) => {
    expect(is(snapshotSchema, { price: value })).toBe(false);
    expect(is(changesSchema, { price: { before: value, after: 1 } })).toBe(false);
    expect(is(changesSchema, { price: { before: 1, after: value } })).toBe(false);
  });

  it("contain every key that a pipeline can have", () => {
    const pipeline: Pipeline = {
      entry: "a",
      baseline: "b",
      refresh: { everyRuns: 8, entry: "b" },
      steps: [
        {
          id: "a",
          scraper: "retailer_a.offers",
          condition: "new",
          routes: [
            {
              when: "ok",
              field: "price",
              op: "below",
              value: { metadata: "target" },
              where: [
                { field: "price", op: "below", value: { field: "listPrice" } },
                { field: "price", op: "above", value: 1 },
                { field: "inStock", op: "is", value: true },
                { field: "merchant", op: "is", value: "A1" },
              ],
              min_delta: 1,
              min_delta_percent: 2,
              confirm: 2,
              once: true,
              cooldown: "6h",
              run: "b",
              notify: true,
            },
          ],
        },
        { id: "b", scraper: "retailer_a.lite", routes: [] },
      ],
    };
    const answer = presentPipeline(pipeline);
    expect(parse(pipelineSchema, answer)).toEqual(answer);
  });

  it("show the known values of an extensible set as examples, and accept other values", () => {
    const schema = openSet(["one", "two"], "A number.");
    expect(getExamples(schema)).toEqual(["one", "two"]);
    expect(is(schema, "three")).toBe(true);
  });
});
