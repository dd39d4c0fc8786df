import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../scripts/openapi/document.ts";
import { redoclyFindings, spectralFindings } from "./lint.ts";

const document = JSON.parse(JSON.stringify(openApiDocument())) as { readonly paths: object };

describe("the OpenAPI document", () => {
  it("passes redocly without a warning", async () => {
    expect(await redoclyFindings(document)).toEqual([]);
  });

  it("passes spectral without a warning", async () => {
    expect(await spectralFindings(document)).toEqual([]);
  });

  it("is refused by redocly and spectral if two paths have the same operation ID", async () => {
    const [first] = Object.values(document.paths);
    const twice = { ...document, paths: { "/v1/a": first, "/v1/b": first } };
    for (const findings of [await redoclyFindings(twice), await spectralFindings(twice)]) {
      expect(findings.filter(({ severity }) => severity === "error").length).toBeGreaterThan(0);
    }
  });
});
