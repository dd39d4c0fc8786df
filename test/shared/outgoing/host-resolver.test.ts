import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import { hostResolver } from "../../../shared/outgoing/host-resolver.ts";

describe("hostResolver, which resolves host names,", () => {
  it("returns all addresses of a host name", async () => {
    const lookup: LookupFunction = (_, { all }, callback) => {
      expect(all).toBe(true);
      callback(null, [
        { address: "8.8.8.8", family: 4 },
        { address: "2606:4700::1111", family: 6 },
      ]);
    };

    const addresses = await hostResolver({ lookup }).resolve("hooks.shop-example.com");

    expect(addresses).toEqual(["8.8.8.8", "2606:4700::1111"]);
  });

  it("returns an IP address unchanged", async () => {
    expect(await hostResolver().resolve("192.0.2.1")).toEqual(["192.0.2.1"]);
    expect(await hostResolver().resolve("2001:db8::1")).toEqual(["2001:db8::1"]);
  });

  it("returns no address for a name that does not exist", async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), "");

    expect(await hostResolver({ lookup }).resolve("hooks.shop-example.com")).toEqual([]);
  });

  it("returns no address if the lookup takes too long", async () => {
    const resolver = hostResolver({ lookup: () => {}, limitMs: 20 });

    expect(await resolver.resolve("hooks.shop-example.com")).toEqual([]);
  });
});
