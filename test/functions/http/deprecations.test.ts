import { describe, expect, it } from "vitest";
import {
  type Deprecation,
  deprecationHeaders,
  deprecations,
} from "../../../functions/http/deprecations.ts";

const table: readonly Deprecation[] = [
  { route: "GET /v1/changes", since: "2027-01-01", sunset: "2028-03-01" },
  { route: "GET /v1/changes", field: "kind", since: "2026-12-01" },
  { route: "POST /v1/products", field: "asins", since: "2026-11-23" },
];
const link =
  '</docs/api-guide#deprecated-operations-and-fields>; rel="deprecation"; type="text/html"';
const nothing = { body: undefined, query: {} };

describe("the deprecation headers of a response", () => {
  it("contain the dates of a deprecated operation in the formats of RFC 9745 and RFC 8594", () => {
    expect(deprecationHeaders("GET /v1/changes", nothing, table)).toEqual({
      Deprecation: `@${Date.UTC(2027, 0, 1) / 1_000}`,
      Sunset: "Wed, 01 Mar 2028 00:00:00 GMT",
      Link: link,
    });
  });

  it("contain the earliest dates if a call uses several deprecated operations or fields", () => {
    const sent = { body: undefined, query: { kind: "price_drop" } };
    expect(deprecationHeaders("GET /v1/changes", sent, table)).toMatchObject({
      Deprecation: `@${Date.UTC(2026, 11, 1) / 1_000}`,
      Sunset: "Wed, 01 Mar 2028 00:00:00 GMT",
    });
  });

  it("are sent for a deprecated body field only if the call contains that field", () => {
    const used = { body: { asins: ["B0SANDBOX0"] }, query: {} };
    expect(deprecationHeaders("POST /v1/products", used, table)).toEqual({
      Deprecation: `@${Date.UTC(2026, 10, 23) / 1_000}`,
      Link: link,
    });
    const other = { body: { ids: ["B0SANDBOX0"] }, query: {} };
    expect(deprecationHeaders("POST /v1/products", other, table)).toEqual({});
    expect(deprecationHeaders("POST /v1/products", nothing, table)).toEqual({});
    expect(deprecationHeaders("POST /v1/offers", used, table)).toEqual({});
  });
});

describe("every deprecation in the API", () => {
  it("has valid dates, and ends at least a year after its announcement", () => {
    for (const { since, sunset } of deprecations) {
      expect(new Date(`${since}T00:00:00Z`).toISOString()).toContain(since);
      if (sunset === undefined) continue;
      const [year, rest] = [Number(since.slice(0, 4)), since.slice(4)];
      expect(sunset >= `${year + 1}${rest}`, `${since} to ${sunset}`).toBe(true);
    }
  });
});
