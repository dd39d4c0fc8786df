import { describe, expect, it } from "vitest";
import {
  defaultTemplate,
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
    "is not treated as the platform's default pipeline if it is %j",
    (text) => {
      expect(written(text)).toBeUndefined();
      const { message, place } = pipelineProblem(text) ?? {};
      expect(message).toBe("A pipeline must be an object with an array 'steps'.");
      expect(text.slice(place?.start, place?.end)).toBe("null");
      expect(pipelineOf({ template: defaultTemplate, text }, undefined)).toBeNull();
    },
  );

  it("is not sent when it is not valid JSON", () => {
    expect(written("{")).toBeUndefined();
    expect(pipelineProblem("{")?.message).toMatch(/^This is not valid JSON/);
  });
});
