import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../../../shared/sources/http/retry-after.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

describe("a Retry-After header", () => {
  it.each([
    ["0", 0],
    [" 120 ", 120_000],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["99999999999", 86_400_000],
    ["Sun, 01 Mar 2076 12:00:30 GMT", 86_400_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
  ])("with the value %j demands a wait of %d ms", (header, milliseconds) => {
    expect(retryAfterMs(header, now)).toBe(milliseconds);
  });

  it.each([null, "", "soon", "-5", "1e9"])("with the value %j is ignored", (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  });
});
