import { describe, expect, it } from "vitest";
import {
  defaultTemplate,
  pipelineOf,
  pipelineProblem,
} from "../../../functions/dashboard/browser/pages/watchlists/pipeline-draft.ts";

const written = (text: string): unknown => pipelineOf({ template: null, text }, undefined);

describe("a pipeline that is written as JSON", () => {
  it("is sent as it is", () => {
    expect(written('{"steps": []}')).toEqual({ steps: [] });
    expect(pipelineProblem('{"steps": []}')).toBeUndefined();
  });

  it.each(["null", " null\n"])("is not the platform's default where it is %j", (text) => {
    expect(written(text)).toBeUndefined();
    const { message, place } = pipelineProblem(text) ?? {};
    expect(message).toBe("A pipeline is an object with steps.");
    expect(text.slice(place?.start, place?.end)).toBe("null");
    expect(pipelineOf({ template: defaultTemplate, text }, undefined)).toBeNull();
  });

  it("is none where it is no JSON", () => {
    expect(written("{")).toBeUndefined();
    expect(pipelineProblem("{")?.message).toMatch(/^This is no JSON/);
  });
});
