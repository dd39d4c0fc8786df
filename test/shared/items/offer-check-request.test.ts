import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { validate } from "../../../functions/http/validate.ts";
import type { ServiceError } from "../../../shared/base/errors.ts";
import {
  type OfferCheckRequest,
  offerCheckRequest,
} from "../../../shared/items/offer-check-request.ts";

const asin = "B00EXAMPLE";
const offer = (offerListingId: string): unknown => ({ asin, offerListingId });
const numbered = (count: number): unknown[] =>
  Array.from({ length: count }, (_, n) => offer(`id+${n}`));
const longId = (length: number): string => "x".repeat(length);
const parse = (body: unknown): OfferCheckRequest => v.parse(offerCheckRequest, body);

function refused(body: unknown): ServiceError {
  try {
    validate(offerCheckRequest, body);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was accepted");
}

describe("a request to check offers", () => {
  it.each(["offers", "ids"])(
    "is accepted with its offers in the field '%s', and gets the default platform and marketplace",
    (name) => {
      expect(parse({ [name]: [offer("a+b/c=")] })).toEqual({
        platform: "retailer_a",
        marketplace: "us",
        offers: [{ asin, offerListingId: "a+b/c=" }],
      });
    },
  );

  it("keeps each pair of item ID and offer ID once and in order, even if the request repeats a pair in other spellings", () => {
    const { offers } = parse({
      offers: [
        offer("second"),
        offer("a+b/c="),
        { asin: " b00example ", offerListingId: "a%2Bb%2fc%3D" },
        { asin: "B000000002", offerListingId: "second" },
        offer(" second "),
      ],
    });
    expect(offers).toEqual([
      { asin, offerListingId: "second" },
      { asin, offerListingId: "a+b/c=" },
      { asin: "B000000002", offerListingId: "second" },
    ]);
  });

  it("is accepted with an offer ID of 1,000 characters, counted after URL decoding", () => {
    const id = `${longId(999)}+`;
    const encoded = "%78".repeat(999) + "%2B";
    expect(parse({ offers: [offer(id), offer(encoded)] }).offers).toEqual([
      { asin, offerListingId: id },
    ]);
  });

  it.each(["100%", "%zz", "a%2"])(
    'keeps the offer ID "%s" unchanged if this ID is not URL-encoded',
    (id) => {
      expect(parse({ offers: [offer(id)] }).offers).toEqual([{ asin, offerListingId: id }]);
    },
  );

  it("is accepted with two thousand different offers, even if each of them is repeated", () => {
    const most = numbered(2_000);
    expect(parse({ offers: [...most, ...most] }).offers).toEqual(most);
  });
});

describe("a request to check offers without a required parameter", () => {
  it.each([
    ["offers", {}],
    ["offers[0].asin", { offers: [{ offerListingId: "a" }] }],
    ["offers[1].offerListingId", { offers: [offer("a"), { asin }] }],
    ["ids[0].asin", { ids: [{ offerListingId: "a" }] }],
  ])("is refused with 400 MISSING_PARAM, and the error names the parameter '%s'", (param, body) => {
    expect(refused(body)).toMatchObject({
      status: 400,
      code: "MISSING_PARAM",
      details: { param },
    });
  });
});

describe("a request to check offers with an invalid value", () => {
  it.each([
    ["offers", "no offers", { offers: [] }],
    ["ids", "no IDs", { ids: [] }],
    ["ids", "offers and IDs together", { offers: [offer("a")], ids: [offer("a")] }],
    ["offers", "a string instead of a list", { offers: "a" }],
    ["offers", "null instead of a list", { offers: null }],
    ["offers", "2,001 different offers", { offers: numbered(2_001) }],
    ["ids", "2,001 different offers under the alias", { ids: numbered(2_001) }],
    ["offers[1]", "a string instead of an offer", { offers: [offer("a"), "b"] }],
    ["ids[0]", "an item ID instead of an offer", { ids: [asin] }],
    ["offers[0].asin", "a malformed item ID", { offers: [{ asin: "B00", offerListingId: "a" }] }],
    ["offers[0].asin", "an empty item ID", { offers: [{ asin: "", offerListingId: "a" }] }],
    ["offers[0].asin", "a number as item ID", { offers: [{ asin: 12, offerListingId: "a" }] }],
    ["offers[1].offerListingId", "an empty offer ID", { offers: [offer("a"), offer(" ")] }],
    [
      "offers[0].offerListingId",
      "an offer ID that is empty when decoded",
      { offers: [offer("%20")] },
    ],
    [
      "offers[0].offerListingId",
      "null instead of an offer ID",
      { offers: [{ asin, offerListingId: null }] },
    ],
    ["offers[0].offerListingId", "control characters", { offers: [offer("a\u0000b")] }],
    ["offers[0].offerListingId", "a line break", { offers: [offer("a\nb")] }],
    ["offers[0].offerListingId", "an encoded control character", { offers: [offer("a%0Ab")] }],
    ["offers[0].offerListingId", "unpaired surrogates", { offers: [offer("a\ud800")] }],
    [
      "offers[1].offerListingId",
      "an offer ID of 5,000 characters",
      { offers: [offer("a"), offer(longId(5_000))] },
    ],
    ["ids[0].offerListingId", "an offer ID of 1,001 characters", { ids: [offer(longId(1_001))] }],
    ["ids[0].offerListingId", "an empty offer ID under the alias", { ids: [offer("")] }],
    ["platform", "an unknown platform", { platform: "retailer_z", offers: [offer("a")] }],
    ["marketplace", "an unknown marketplace", { marketplace: "zz", offers: [offer("a")] }],
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
});

describe("the error for an invalid offer ID", () => {
  it.each([
    [
      "an empty ID",
      " ",
      "'offers[0].offerListingId' must not be empty. Send it as the service returned it.",
    ],
    [
      "an ID of 5,000 characters",
      longId(5_000),
      "'offers[0].offerListingId' must have at most 1,000 characters (got 5,000). Send it as the service returned it.",
    ],
    [
      "an ID with a control character",
      "a\tb",
      "'offers[0].offerListingId' must not contain control characters or unpaired surrogates. " +
        "Send it as the service returned it.",
    ],
  ])("states what is wrong with the ID (%s) and how to correct it", (_case, id, message) => {
    expect(refused({ offers: [offer(id)] }).message).toBe(message);
  });
});

describe("a request to check offers where offer checks are not available", () => {
  it.each([
    ["an announced platform", { platform: "retailer_g" }],
    ["an announced marketplace", { marketplace: "jp" }],
    ["retailer_b", { platform: "retailer_b" }],
    ["retailer_c", { platform: "retailer_c" }],
    ["retailer_d", { platform: "retailer_d" }],
  ])(
    "is refused with 501 for a platform or marketplace without offer checks (%s), even if the offers are malformed or missing",
    (_case, shop) => {
      for (const offers of [[{ asin: "?", offerListingId: "?" }], undefined]) {
        expect(refused({ ...shop, offers })).toMatchObject({
          status: 501,
          code: "NOT_IMPLEMENTED",
          details: { comingSoon: true },
        });
      }
    },
  );
});
