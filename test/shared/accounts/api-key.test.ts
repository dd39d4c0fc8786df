import { describe, expect, it } from "vitest";
import {
  apiKeyPrefix,
  hashApiKey,
  isWellFormedApiKey,
  newApiKey,
} from "../../../shared/accounts/api-key.ts";
import { systemChance } from "../../../shared/base/system.ts";

describe("API key", () => {
  it("has the kind's prefix, 32 random characters and a checksum that it passes", () => {
    const key = newApiKey(false, systemChance);
    expect(key).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(newApiKey(true, systemChance)).toMatch(/^svc_demo_/);
  });

  it("is refused without a read when one character is changed", () => {
    const key = newApiKey(false, systemChance);
    for (let at = "svc_live_".length; at < key.length; at += 1) {
      const other = key[at] === "x" ? "y" : "x";
      expect(isWellFormedApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
  });

  it("shows 12 characters and is stored as a hash", () => {
    const key = newApiKey(false, systemChance);
    expect(apiKeyPrefix(key)).toBe(key.slice(0, 12));
    expect(hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("never repeats", () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey(false, systemChance));
    expect(new Set(keys).size).toBe(1_000);
  });
});
