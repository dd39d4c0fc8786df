import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../../shared/base/errors.ts";
import { productsRequest } from "../../../shared/items/request.ts";

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(6_000_000 + n));
const parse = (body: unknown): unknown => v.parse(productsRequest, body);

function refusal(body: unknown): ServiceError {
  try {
    parse(body);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was accepted");
}

describe("a products request", () => {
  it("has its defaults filled in", () => {
    expect(parse({ platform: "retailer_d", ids: ["6501234"] })).toEqual({
      platform: "retailer_d",
      marketplace: "us",
      tier: "standard",
      scraper: "retailer_d.standard",
      ids: ["6501234"],
    });
  });

  it("may say what would be meant anyway, and things from the future", () => {
    const said = { platform: "retailer_d", marketplace: "us", tier: "standard", novelty: 1 };
    expect(parse({ ...said, ids: ["6501234"] })).toMatchObject({ ids: ["6501234"] });
  });

  it("reads at most a thousand different ids", () => {
    const thousand = numbered(1_000);
    expect(parse({ platform: "retailer_d", ids: [...thousand, ...thousand] })).toMatchObject({
      ids: thousand,
    });
    const error = refusal({ platform: "retailer_d", ids: numbered(1_001) });
    expect(error).toMatchObject({ code: "INVALID_PARAM", details: { param: "ids" } });
    expect(error.message).toContain("1000");
  });

  it("answers 400 MISSING_PARAM without ids", () => {
    expect(refusal({ platform: "retailer_d" })).toMatchObject({
      status: 400,
      code: "MISSING_PARAM",
      details: { param: "ids" },
    });
  });

  it.each([[[]], [["", "  "]]])("answers 400 INVALID_PARAM for the empty list %j", (ids) => {
    expect(refusal({ platform: "retailer_d", ids })).toMatchObject({
      status: 400,
      code: "INVALID_PARAM",
      details: { param: "ids" },
    });
  });

  it("answers 400 for an id of another form, by its place", () => {
    expect(refusal({ platform: "retailer_d", ids: ["6501234", "nope"] })).toMatchObject({
      status: 400,
      details: { param: "ids[1]" },
    });
  });

  it("answers 400 with the valid tiers for an unknown one", () => {
    const error = refusal({ platform: "retailer_d", tier: "pulse", ids: ["6501234"] });
    expect(error).toMatchObject({ status: 400, details: { param: "tier" } });
    expect(error.message).toContain("standard");
  });

  it("answers 501 for an announced platform, whatever its ids look like", () => {
    expect(refusal({ platform: "retailer_e", ids: ["?"] }).status).toBe(501);
    expect(refusal({ ids: ["?"] }).status).toBe(501);
  });

  it.each([
    ["ids", { ids: "6501234" }],
    ["ids", { ids: null }],
    ["ids.0", { ids: [6501234] }],
    ["platform", { platform: 4, ids: [] }],
    ["marketplace", { marketplace: null, ids: [] }],
    ["tier", { tier: {}, ids: [] }],
  ])("finds a wrong type at %s", (path, body) => {
    const result = v.safeParse(productsRequest, { platform: "retailer_d", ...body });
    expect(result.issues?.map((issue) => v.getDotPath(issue))).toEqual([path]);
  });
});
