import { describe, expect, it } from "vitest";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { requirePublicUrl } from "../../../shared/outgoing/public-url.ts";

const rules = { policy: addressPolicy(), own: { hosts: [], apiId: null } };

/** Registers a URL whose host resolves to these addresses. */
const register = (value: string, ...addresses: string[]) =>
  requirePublicUrl({ param: "url", value }, rules, { resolve: () => Promise.resolve(addresses) });

const hookHost = "hooks.shop-example.com";
const url = `https://${hookHost}/x`;

describe("requirePublicUrl, which checks a customer's URL and its host,", () => {
  it("returns the normalized URL", async () => {
    expect(await register("https://HOOKS.shop-example.com:443/x#y", "8.8.8.8")).toBe(url);
    expect(await register(url, "8.8.8.8", "2606:4700::1111")).toBe(url);
  });

  it("resolves an IPv6 host without its brackets", async () => {
    const asked: string[] = [];
    const resolver = {
      resolve(hostname: string) {
        asked.push(hostname);
        return Promise.resolve([hostname]);
      },
    };
    const value = "https://[2606:4700::1111]:8443/";

    expect(await requirePublicUrl({ param: "url", value }, rules, resolver)).toBe(value);
    expect(asked).toEqual(["2606:4700::1111"]);
  });

  it.each([
    ["http://hooks.shop-example.com/", "'url' must start with https://."],
    ["https://a@hooks.shop-example.com/", "'url' must not contain a user name or password."],
    ["https://hooks.shop-example.com:22/", "'url' must use port 443 or 1024 to 65535."],
    ["https://10.0.0.1/", "'url' must have a public host."],
  ])(
    "refuses the URL %s, and the error states the problem and the expected form",
    async (value, message) => {
      await expect(register(value, "8.8.8.8")).rejects.toMatchObject({
        status: 400,
        code: "INVALID_PARAM",
        details: { param: "url" },
        message: `${message} Expected: an https:// address on a public host, port 443 or 1024 to 65535.`,
      });
    },
  );

  it("refuses a host name that does not exist", async () => {
    await expect(register(url)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`cannot be resolved (got "${hookHost}")`) as string,
    });
  });

  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "10.0.0.1"]],
    [["10.0.0.1", "8.8.8.8"]],
    [["8.8.8.8", "::1"]],
    [["::ffff:8.8.8.8"]],
    [["fe80::1%eth0"]],
    [["not an address"]],
  ])("refuses a host name that resolves to %o", async (addresses) => {
    await expect(register(url, ...addresses)).rejects.toMatchObject({
      status: 400,
      details: { param: "url" },
      message:
        `The host of 'url' resolves to an address that is not public (got "${hookHost}"). ` +
        "Use a host whose addresses are all public.",
    });
  });
});
