import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { webOptions } from "../../../../shared/sources/web/options.ts";
import { isOfSite } from "../../../../shared/sources/web/address.ts";

const valid = {
  adapter: "web",
  urlTemplate: "https://www.shop.example/p/{id}",
  userAgent: "lamp-reader/1.0 (+https://reader.example/about)",
};

const accepts = (options: object): boolean => v.safeParse(webOptions, options).success;

describe("the options of the web adapter", () => {
  it("have default limits for the rate and the concurrency of calls", () => {
    expect(v.parse(webOptions, valid)).toEqual({
      ...valid,
      notFoundStatus: false,
      callsPerSecond: 2,
      callsAtOnceMax: 4,
    });
  });

  it.each([
    "https://shop.example/p/{id}?ref=1",
    "https://shop.example/item?sku={id}",
    "http://127.0.0.1:8080/p/{id}",
    "http://localhost/p/{id}.html",
  ])("accept the URL template %s", (urlTemplate) => {
    expect(accepts({ ...valid, urlTemplate })).toBe(true);
  });

  it.each([
    "http://shop.example/p/{id}",
    "https://shop.example/p/",
    "https://shop.example/{id}/{id}",
    "https://{id}.shop.example/",
    "https://shop.example:{id}/",
    "https://shop.example{id}/p",
    "https://user:secret@shop.example/{id}",
    "https://shop.example/p#{id}",
    "ftp://shop.example/{id}",
    "/p/{id}",
    "",
  ])("reject the URL template %j", (urlTemplate) => {
    expect(accepts({ ...valid, urlTemplate })).toBe(false);
  });

  it.each(["lamp-reader/2.1 (+mailto:ops@reader.example)", "Reader/1 (+http://reader.example)"])(
    "accept the User-Agent %s",
    (userAgent) => {
      expect(accepts({ ...valid, userAgent })).toBe(true);
    },
  );

  it.each([
    "",
    "Mozilla/5.0",
    "lamp-reader/1.0",
    "lamp-reader/1.0 (+unknown)",
    "a/1 (+https://x y)",
  ])("reject the User-Agent %j, which has no contact", (userAgent) => {
    expect(accepts({ ...valid, userAgent })).toBe(false);
  });

  it("reject unknown options, too many concurrent calls and a rate of 0", () => {
    expect(accepts({ ...valid, proxy: "https://proxy.example" })).toBe(false);
    expect(accepts({ ...valid, callsAtOnceMax: 100 })).toBe(false);
    expect(accepts({ ...valid, callsPerSecond: 0 })).toBe(false);
  });
});

describe("isOfSite, for the site https://www.shop.example,", () => {
  const site = new URL("https://www.shop.example/p/0");

  it.each([
    ["https://www.shop.example/a", true],
    ["https://shop.example/a", true],
    ["https://m.shop.example/a", true],
    ["http://www.shop.example/a", false],
    ["https://www.shop.example:8443/a", false],
    ["https://notshop.example/a", false],
    ["https://shop.example.evil.example/a", false],
    ["https://127.0.0.1/a", false],
  ])("returns for the address %s the result %s", (address, isOf) => {
    expect(isOfSite(new URL(address), site)).toBe(isOf);
  });
});
