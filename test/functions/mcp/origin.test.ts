import { describe, expect, it } from "vitest";
import { isOwnOrigin } from "../../../functions/mcp/origin.ts";

describe("the Origin check of an MCP call", () => {
  it.each([
    ["api.shop-example.com", undefined, true],
    ["api.shop-example.com", "https://api.shop-example.com", true],
    [
      "abc123.execute-api.us-east-1.amazonaws.com",
      "https://abc123.execute-api.us-east-1.amazonaws.com",
      true,
    ],
    ["localhost:3000", "http://localhost:3000", true],
    ["localhost:3000", "http://localhost:4000", false],
    ["api.shop-example.com", "https://evil.example", false],
    ["evil.example", "http://evil.example", false],
    ["localhost:3000", "null", false],
  ])(
    "compares the host '%s' of the call with the origin '%s' (call allowed: %s)",
    (host, origin, expected) => {
      const domainName = "api.shop-example.com";
      expect(isOwnOrigin({ host, origin, domainName, apiId: "abc123" })).toBe(expected);
    },
  );
});
