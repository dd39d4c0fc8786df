import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { ServiceError } from "../../../shared/base/errors.ts";
import { productsRequest } from "../../../shared/items/request.ts";

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(6_000_000 + n));
const asins = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B0${String(n).padStart(8, "0")}`);
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
  it.each([
    ["retailer_b", "12345"],
    ["retailer_c", "123456"],
    ["retailer_d", "6501234"],
  ])(
    "on the platform %s without a marketplace and a tier gets the default value of each",
    (platform, id) => {
      expect(parse({ platform, ids: [id] })).toEqual({
        platform,
        marketplace: "us",
        tier: "standard",
        scraper: `${platform}.standard`,
        ids: [id],
      });
    },
  );

  it.each(["pulse", "lite", "full"])(
    'without a platform reads from retailer_a at the requested tier "%s"',
    (tier) => {
      expect(parse({ ids: ["B000000001"], tier })).toEqual({
        platform: "retailer_a",
        marketplace: "us",
        tier,
        scraper: `retailer_a.${tier}`,
        ids: ["B000000001"],
      });
    },
  );

  it("is accepted with explicit default values", () => {
    const fields = { platform: "retailer_d", marketplace: "us", tier: "standard" };
    expect(parse({ ...fields, ids: ["6501234"] })).toMatchObject({ ids: ["6501234"] });
  });

  it("on retailer_a is accepted with its IDs in the field 'asins'", () => {
    expect(parse({ asins: [" b000000001", "", "B000000001"], tier: "lite" })).toMatchObject({
      ids: ["B000000001"],
    });
  });

  it('on retailer_c is parsed to its IDs without the prefix "A-", each ID once', () => {
    expect(parse({ platform: "retailer_c", ids: ["A-123456", "123456"] })).toMatchObject({
      ids: ["123456"],
    });
  });

  it.each([[["delivery"]], [["delivery", "more"]], [[]]])(
    "on retailer_a keeps the value of its field 'include' (%j)",
    (include) => {
      expect(parse({ ids: ["B000000001"], tier: "pulse", include })).toMatchObject({ include });
    },
  );

  it("on retailer_d is accepted with the field 'include', which has no effect", () => {
    const body = { platform: "retailer_d", ids: ["6501234"], include: ["delivery"] };
    expect(parse(body)).not.toHaveProperty("include");
  });

  it.each([
    ["retailer_a", "pulse", asins(10_000)],
    ["retailer_a", "lite", asins(2_000)],
    ["retailer_a", "full", asins(2_000)],
    ["retailer_b", "standard", numbered(100)],
    ["retailer_c", "standard", numbered(1_000)],
    ["retailer_d", "standard", numbered(1_000)],
  ])(
    'for the platform %s at the tier "%s" is accepted with the maximum number of different IDs, but not with one more',
    (platform, tier, ids) => {
      expect(parse({ platform, tier, ids: [...ids, ...ids] })).toMatchObject({ ids });
      const more = [...ids, platform === "retailer_a" ? "Z000000000" : "7777777"];
      const error = refusal({ platform, tier, ids: more });
      expect(error).toMatchObject({ code: "INVALID_PARAM", details: { param: "ids" } });
      expect(error.message).toContain(String(ids.length));
    },
  );
});

describe("an invalid products request", () => {
  it.each([
    ["ids", {}],
    ["ids", { tier: "lite" }],
    ["ids", { platform: "retailer_d" }],
    ["tier", { ids: ["B000000001"] }],
    ["tier", { asins: ["nope"] }],
  ])(
    "is refused with 400 MISSING_PARAM, and the error names '%s' (the body: %j)",
    (param, body) => {
      expect(refusal(body)).toMatchObject({
        status: 400,
        code: "MISSING_PARAM",
        details: { param },
      });
    },
  );

  it.each([
    ["ids", { platform: "retailer_d", ids: [] }],
    ["ids", { platform: "retailer_d", ids: ["", "  "] }],
    ["asins", { asins: [" "], tier: "lite" }],
    ["ids[1]", { platform: "retailer_d", ids: ["6501234", "nope"] }],
    ["ids[0]", { ids: ["B00000001"], tier: "lite" }],
    ["asins[2]", { asins: ["B000000001", "", "B0_0000001"], tier: "lite" }],
    ["asins", { ids: ["B000000001"], asins: ["B000000001"], tier: "lite" }],
    ["asins", { platform: "retailer_b", asins: ["12345"] }],
    ["tier", { platform: "retailer_d", tier: "pulse", ids: ["6501234"] }],
    ["tier", { tier: "standard", ids: ["B000000001"] }],
    ["tier", { tier: "", ids: ["B000000001"] }],
    ["marketplace", { marketplace: "zz", ids: ["B000000001"], tier: "lite" }],
    ["platform", { platform: "retailer_z", ids: ["B000000001"] }],
  ])(
    "is refused with 400 INVALID_PARAM, and the error names '%s' (the body: %j)",
    (param, body) => {
      expect(refusal(body)).toMatchObject({
        status: 400,
        code: "INVALID_PARAM",
        details: { param },
      });
    },
  );

  it("without a valid tier is refused with an error that lists the tiers and suggests the nearest one", () => {
    const ids = ["B000000001"];
    expect(refusal({ ids }).message).toBe(
      "Parameter 'tier' is required on retailer_a: one of pulse, lite, full.",
    );
    expect(refusal({ tier: "ful", ids }).message).toBe(
      "'tier' of retailer_a must be one of pulse, lite, full (got \"ful\"). Did you mean 'full'?",
    );
  });

  it.each([
    ["ids", { ids: "6501234" }],
    ["ids", { ids: null }],
    ["ids.0", { ids: [6501234] }],
    ["asins.0", { asins: [4] }],
    ["platform", { platform: 4, ids: [] }],
    ["marketplace", { marketplace: null, ids: [] }],
    ["tier", { tier: {}, ids: [] }],
    ["include", { include: "delivery", ids: [] }],
    ["include.1", { include: ["delivery", 7], ids: [] }],
  ])(
    "with a value of the wrong type is refused with an error at the path '%s' (the body: %j)",
    (path, body) => {
      const result = v.safeParse(productsRequest, { platform: "retailer_d", ...body });
      expect(result.issues?.map((issue) => v.getDotPath(issue))).toEqual([path]);
    },
  );
});

describe("a products request with several errors", () => {
  const wrongs = {
    platform: "retailer_z",
    ids: ["?"],
    tier: "x",
  };

  it.each([
    ["an unknown platform", { ...wrongs, marketplace: "zz" }, 400, "platform"],
    [
      "an unknown marketplace",
      { ...wrongs, platform: "retailer_a", marketplace: "zz" },
      400,
      "marketplace",
    ],
    ["an announced platform", { ...wrongs, platform: "retailer_e" }, 501, undefined],
    ["an announced marketplace", { ids: ["?"], tier: "x", marketplace: "uk" }, 501, undefined],
    ["missing IDs", { tier: "x" }, 400, "ids"],
    ["a missing tier", { ids: ["?"] }, 400, "tier"],
    ["an unknown tier", { ids: ["?"], tier: "x" }, 400, "tier"],
    ["a malformed ID", { ids: ["?", ...asins(10_001)], tier: "pulse" }, 400, "ids[0]"],
    ["too many IDs", { ids: asins(10_001), tier: "pulse" }, 400, "ids"],
  ])("is refused for the error that the service checks first: %s", (...row) => {
    const [, body, status, param] = row;
    const { status: answered, details } = refusal(body);
    expect({ status: answered, param: details.param }).toEqual({ status, param });
  });
});
