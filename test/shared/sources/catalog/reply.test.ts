import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCatalogReply } from "../../../../shared/sources/catalog/reply.ts";
import { aProduct, wholeReply } from "./double.ts";

const ids = ["11111", "22222"];
const parse = (body: unknown): ReturnType<typeof parseCatalogReply> => parseCatalogReply(body, ids);

describe("a missing product in a catalog reply", () => {
  it("counts as not existing if the reply is complete", () => {
    expect(parse(wholeReply([aProduct("11111")]))?.isComplete).toBe(true);
    expect(parse(wholeReply([]))?.isComplete).toBe(true);
    expect(parse({ total: 0, products: [] })?.isComplete).toBe(true);
  });

  it.each<[Record<string, unknown>]>([
    [{ error: { code: 403, message: "Over Quota" } }],
    [{ error: "x" }],
    [{ errors: [{ code: 1 }] }],
    [{ errors: { code: 1 } }],
    [{ fault: { faultstring: "x" } }],
    [{ message: "Rate limit exceeded" }],
    [{ warnings: ["invalid sku"] }],
  ])("counts as unknown if the reply reports an error (the reply: %j)", (trouble) => {
    expect(parse({ ...wholeReply([]), ...trouble })?.isComplete).toBe(false);
  });

  it("counts as not existing if the reply's error fields are empty", () => {
    const none = { error: null, errors: [], fault: {}, message: "", warnings: [] };
    expect(parse({ ...wholeReply([]), ...none })?.isComplete).toBe(true);
  });

  it.each([
    ["is marked as partial", { ...wholeReply([aProduct("11111")]), partial: true }],
    ["has a total above its number of products", { ...wholeReply([aProduct("11111")]), total: 2 }],
    ["has more pages", { ...wholeReply([aProduct("11111")]), totalPages: 2 }],
    ["has more pages, as text", { ...wholeReply([aProduct("11111")]), totalPages: "2" }],
    ["has no total", { products: [aProduct("11111")] }],
    [
      "contains an entry that cannot be parsed",
      wholeReply([aProduct("11111"), { name: "no number" }]),
    ],
    [
      "contains a product that was not requested",
      wholeReply([aProduct("11111"), aProduct("99999")]),
    ],
    ["contains an entry twice", wholeReply([aProduct("11111"), aProduct("11111")])],
  ])("counts as unknown if the reply is not complete (the reply %s)", (_case, body) => {
    const reply = parse(body);
    expect(reply?.isComplete).toBe(false);
    expect([...(reply?.products.keys() ?? [])]).toEqual(["11111"]);
  });
});

describe("the parser of catalog replies", () => {
  it.each([[undefined], [""], [[]], [null], [{}], [{ products: "none" }], [{ total: 0 }]])(
    "rejects the invalid reply %j",
    (body) => {
      expect(parse(body)).toBeNull();
    },
  );

  it("uses the first of two entries with the same stock number", () => {
    const reply = parse(
      wholeReply([aProduct("11111", { name: "First" }), aProduct("11111", { name: "Second" })]),
    );
    expect(reply?.products.get("11111")?.name).toBe("First");
  });

  it("returns only products that were requested", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), fc.record({ sku: fc.jsonValue() }))), (all) => {
        const reply = parse(wholeReply(all));
        expect(ids).toEqual(expect.arrayContaining([...(reply?.products.keys() ?? [])]));
      }),
    );
  });
});
