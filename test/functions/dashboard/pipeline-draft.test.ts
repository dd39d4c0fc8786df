import { describe, expect, it } from "vitest";
import type { Scrapers, Watchlist } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  defaultTemplate,
  pipelineDraftOf,
  pipelineOf,
  pipelineProblem,
} from "../../../functions/dashboard/browser/pages/watchlists/pipeline-draft.ts";

const written = (text: string): unknown => pipelineOf({ template: null, text }, undefined);

describe("a pipeline that a user writes as JSON in the dashboard", () => {
  it("is sent unchanged", () => {
    expect(written('{"steps": []}')).toEqual({ steps: [] });
    expect(pipelineProblem('{"steps": []}')).toBeUndefined();
  });

  it.each(["null", " null\n"])(
    "is not treated as the platform's default pipeline if the text is %j",
    (text) => {
      expect(written(text)).toBeUndefined();
      const { message, place } = pipelineProblem(text) ?? {};
      expect(message).toBe(
        "A pipeline must be an object with an array 'steps' (got null). For the default pipeline, choose its template.",
      );
      expect(text.slice(place?.start, place?.end)).toBe("null");
      expect(pipelineOf({ template: defaultTemplate, text }, undefined)).toBeNull();
    },
  );

  it("is not sent when the text is not valid JSON", () => {
    expect(written("{")).toBeUndefined();
    expect(pipelineProblem("{")?.message).toMatch(/^This is not valid JSON/);
  });
});

describe("the template of price drops in the dashboard", () => {
  const pipelineWith = (routes: readonly object[]) => ({
    entry: "check",
    baseline: null,
    refresh: null,
    steps: [{ id: "check", scraper: "retailer_d.standard", routes }],
  });
  const drop = { when: "changed", field: "price", op: "decreased", notify: true };
  const template = { id: "price_drops", pipeline: pipelineWith([drop]) };
  const known = { templates: [template] } as unknown as Scrapers;
  const draft = { template: "price_drops", text: "" };

  it.each([
    ["", pipelineWith([drop])],
    ["5%", pipelineWith([{ ...drop, min_delta_percent: 5 }])],
    ["2,5", pipelineWith([{ ...drop, min_delta_percent: 2.5 }])],
  ])("is sent with the minimum drop that the user typed: %j", (minDrop, pipeline) => {
    expect(pipelineOf({ ...draft, minDrop }, known)).toEqual(pipeline);
  });

  it("is not sent if the minimum drop is not a number", () => {
    expect(pipelineOf({ ...draft, minDrop: "many" }, known)).toBeUndefined();
  });

  it("is shown with the minimum drop of a watchlist, whatever the order of the keys in the watchlist's pipeline", () => {
    const { notify, ...others } = drop;
    const pipeline = pipelineWith([{ ...others, min_delta_percent: 5, notify }]);
    const list = { default_pipeline: false, pipeline } as unknown as Watchlist;
    expect(pipelineDraftOf(list, known)).toMatchObject({ template: "price_drops", minDrop: "5" });
  });

  it("is not shown for a watchlist whose route has a setting that the template lacks", () => {
    const pipeline = pipelineWith([{ ...drop, min_delta_percent: 5, confirm: 2 }]);
    const list = { default_pipeline: false, pipeline } as unknown as Watchlist;
    expect(pipelineDraftOf(list, known).template).toBeNull();
  });
});
