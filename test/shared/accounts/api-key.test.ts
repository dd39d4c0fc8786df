import { describe, expect, it } from "vitest";
import {
  apiKeyFlaw,
  apiKeyPrefix,
  hashApiKey,
  newApiKey,
} from "../../../shared/accounts/api-key.ts";
import { systemRandom } from "../../../shared/base/system.ts";

describe("an API key", () => {
  it("has the prefix of its kind, 32 random characters and a valid checksum", () => {
    const key = newApiKey(false, systemRandom);
    expect(key).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
    expect(apiKeyFlaw(key)).toBeUndefined();
    expect(newApiKey(true, systemRandom)).toMatch(/^svc_demo_/);
  });

  it("has an invalid checksum if any one of its characters is changed", () => {
    const key = newApiKey(false, systemRandom);
    for (let at = "svc_live_".length; at < key.length; at += 1) {
      const other = key[at] === "x" ? "y" : "x";
      expect(apiKeyFlaw(key.slice(0, at) + other + key.slice(at + 1))).toBe(
        "The checksum of the key does not match. Check the key for typing errors.",
      );
    }
  });

  it.each([
    ["Bearer {key}", "begins with the word 'Bearer'"],
    ["bearer {key}", "begins with the word 'Bearer'"],
    ['"{key}"', "in quotes or brackets"],
    ["<{key}>", "in quotes or brackets"],
    ["{key} {key}", "contains white space"],
    ["sk_live_{key}", "must begin with svc_live_ or svc_demo_"],
    ["{key}x", "must have 47 characters (got 48)"],
    ["svc_live_", "must have 47 characters (got 9)"],
  ])(
    "is refused as malformed in the form %s, and the error does not contain the key",
    (written, reason) => {
      const key = newApiKey(false, systemRandom);
      const flaw = apiKeyFlaw(written.replaceAll("{key}", key));
      expect(flaw).toContain(reason);
      expect(flaw).not.toContain(key);
    },
  );

  it("is shown to clients only as its first 12 characters, and is stored only as a hash", () => {
    const key = newApiKey(false, systemRandom);
    expect(apiKeyPrefix(key)).toBe(key.slice(0, 12));
    expect(hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is unique among 1,000 new keys", () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey(false, systemRandom));
    expect(new Set(keys).size).toBe(1_000);
  });
});
