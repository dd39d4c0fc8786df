import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../../shared/base/errors.ts";
import {
  itemOffersRequest,
  offersRequest,
  parsePathId,
} from "../../../shared/items/offers-request.ts";

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(n).padStart(9, "0")}`);
const parse = (body: unknown): unknown => v.parse(offersRequest, body);

function refusal(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was accepted");
}
const refused = (body: unknown): ServiceError => refusal(() => parse(body));

describe("a request for offers", () => {
  it("without a platform, a marketplace and a condition gets the default value of each of the three", () => {
    expect(parse({ ids: ["B00EXAMPLE"] })).toEqual({
      platform: "retailer_a",
      marketplace: "us",
      condition: "all",
      ids: ["B00EXAMPLE"],
    });
  });

  it.each(["ids", "asins"])(
    "is parsed to the IDs in its field '%s', in their order, trimmed, in upper case and without repetitions",
    (name) => {
      const sent = [" b00example ", "", "B000000002", "B00EXAMPLE", "  ", "b000000002"];
      expect(parse({ [name]: sent })).toMatchObject({ ids: ["B00EXAMPLE", "B000000002"] });
    },
  );

  it.each(["all", "new", "used"])('is accepted with the condition "%s"', (condition) => {
    expect(parse({ ids: ["B00EXAMPLE"], condition })).toMatchObject({ condition });
  });

  it("is accepted with a hundred different IDs, even if each of them is repeated", () => {
    const hundred = numbered(100);
    expect(parse({ ids: [...hundred, ...hundred] })).toMatchObject({ ids: hundred });
  });
});

describe("a request for offers without IDs", () => {
  it("is refused with 400 MISSING_PARAM, and the error names 'ids'", () => {
    expect(refused({ condition: "new" })).toMatchObject({
      status: 400,
      code: "MISSING_PARAM",
      details: { param: "ids" },
    });
  });
});

describe("a request for offers with an invalid value", () => {
  it.each([
    ["ids", "no IDs", { ids: [] }],
    ["ids", "empty strings only", { ids: ["", " "] }],
    ["asins", "no asins", { asins: [] }],
    ["ids", "101 different IDs", { ids: numbered(101) }],
    ["asins", "101 different asins", { asins: numbered(101) }],
    ["asins", "IDs and asins together", { ids: ["B00EXAMPLE"], asins: ["B00EXAMPLE"] }],
    ["ids[1]", "a malformed ID", { ids: ["B00EXAMPLE", "nope"] }],
    ["asins[2]", "a malformed asin", { asins: ["", "B00EXAMPLE", "B00-XAMPLE"] }],
    ["platform", "an unknown platform", { platform: "retailer_z", ids: ["B00EXAMPLE"] }],
    ["marketplace", "an unknown marketplace", { marketplace: "zz", ids: ["B00EXAMPLE"] }],
  ])(
    "is refused with 400 INVALID_PARAM, and the error names the parameter '%s' (the mistake: %s)",
    (param, _case, body) => {
      expect(refused(body)).toMatchObject({
        status: 400,
        code: "INVALID_PARAM",
        details: { param },
      });
    },
  );

  it.each([
    ["condition", { condition: "refurbished" }],
    ["condition", { condition: null }],
    ["ids", { ids: "B00EXAMPLE" }],
    ["ids.0", { ids: [12] }],
    ["asins", { asins: {} }],
    ["platform", { platform: 4 }],
    ["marketplace", { marketplace: null }],
  ])("is refused with an error at the path '%s' (the body: %j)", (path, body) => {
    const result = v.safeParse(offersRequest, { ids: ["B00EXAMPLE"], ...body });
    expect(result.issues?.map((issue) => v.getDotPath(issue))).toEqual([path]);
  });
});

/** Platforms whose offers cannot be read yet. The form of their requests is not defined. */
const comingSoon = [
  ["an announced platform", { platform: "retailer_e" }],
  ["retailer_b", { platform: "retailer_b" }],
  ["retailer_c", { platform: "retailer_c" }],
  ["retailer_d", { platform: "retailer_d", marketplace: "us" }],
  ["an announced marketplace", { marketplace: "uk" }],
  ["an announced marketplace of another platform", { platform: "retailer_d", marketplace: "ca" }],
] as const;

describe("a request for offers where offers are not available", () => {
  it.each(comingSoon)(
    "is refused with 501 for a platform or marketplace without offers (%s), even if the IDs are malformed or missing",
    (_case, shop) => {
      for (const ids of [["?"], undefined]) {
        expect(refused({ ...shop, ids })).toMatchObject({
          status: 501,
          code: "NOT_IMPLEMENTED",
          details: { comingSoon: true },
        });
      }
    },
  );

  it.each(comingSoon)(
    "is refused with 501 for a platform or marketplace without offers (%s), even in the query of the route for one item",
    (_case, shop) => {
      expect(refusal(() => v.parse(itemOffersRequest, shop))).toMatchObject({ status: 501 });
    },
  );
});

describe("a request for the offers of one item", () => {
  it("without a platform, a marketplace and a condition gets the default value of each of the three", () => {
    expect(v.parse(itemOffersRequest, {})).toEqual({
      platform: "retailer_a",
      marketplace: "us",
      condition: "all",
    });
  });

  it("is parsed to the item ID of the path, trimmed and in upper case", () => {
    expect(parsePathId("retailer_a", " b00example")).toBe("B00EXAMPLE");
  });

  it.each(["", " ", "B00", "B00EXAMPLE1", "B00EXAMPL%"])(
    "for the ID %j is refused, and the error names 'asin'",
    (id) => {
      expect(refusal(() => parsePathId("retailer_a", id))).toMatchObject({
        status: 400,
        code: "INVALID_PARAM",
        details: { param: "asin" },
      });
    },
  );
});
