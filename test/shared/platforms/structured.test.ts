import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  presentStructured,
  structuredError,
  structuredResponse,
} from "../../../shared/platforms/structured.ts";

describe("the announced endpoints for structured data", () => {
  const { data } = presentStructured();

  it("match the schema of their API response", () => {
    const presented = presentStructured();
    expect(v.parse(structuredResponse, presented)).toEqual(presented);
  });

  it("are of four kinds on each of four platforms, and none of them is live", () => {
    expect(data.map(({ path }) => path)).toEqual(
      ["retailer_a", "retailer_b", "retailer_c", "retailer_d"].flatMap((platform) =>
        ["search", "product", "reviews", "category"].map(
          (kind) => `/v1/structured/${platform}/${kind}`,
        ),
      ),
    );
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(["coming_soon"]));
  });

  it("are listed with their parameters and the limits of each parameter", () => {
    const search = data.find(({ id }) => id === "retailer_a.search");
    expect(search?.parameters).toEqual([
      { name: "query", type: "string", required: true },
      { name: "page", type: "integer", required: false, minimum: 1, maximum: 100 },
      { name: "num", type: "integer", required: false, minimum: 10, maximum: 100 },
      { name: "country", type: "string", required: false },
      { name: "language", type: "string", required: false },
    ]);
  });

  it('return 501 with the status "coming_soon"', () => {
    for (const { platform, kind } of data) {
      expect(structuredError(platform, kind)).toMatchObject({
        status: 501,
        code: "NOT_IMPLEMENTED",
        details: { comingSoon: true },
      });
    }
  });

  it.each([
    ["retailer_e", "search"],
    ["retailer_a", "nothing"],
    ["retailer_a", "constructor"],
    ["__proto__", "search"],
    ["", ""],
  ])("return 404 for an unknown platform or kind: the path %s/%s", (platform, kind) => {
    expect(structuredError(platform, kind)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });
});
