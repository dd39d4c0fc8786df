import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildApp } from "../../../lib/build-app.ts";
import { configs, type Throttle } from "../../../lib/config.ts";
import { accountQuota, methodLimits, throttleSums } from "../../../lib/constructs/method-limits.ts";

const { throttle } = configs.prod;

describe("methodLimits", () => {
  it("gives each pair of a resource and a method with a route the limit of its group", () => {
    const limits = methodLimits(throttle).map(
      ({ path, verb, requestsPerSecond }) => `${verb} ${path} ${requestsPerSecond}`,
    );

    expect(limits).toEqual(
      expect.arrayContaining([
        `POST /v1/products ${throttle.ofRoutes.products}`,
        `DELETE /v1/api_keys/{proxy+} ${throttle.ofRoutes.account}`,
        `GET /v1/{proxy+} ${throttle.ofRoutes.meta}`,
        `GET /dashboard ${throttle.ofRoutes.dashboard}`,
      ]),
    );
    expect(new Set(limits).size).toBe(limits.length);
  });
});

describe("throttleSums", () => {
  it("counts the limit of a group once for each of its pairs, and the default once for each other pair", () => {
    const before = throttleSums(throttle).requestsPerSecond;
    const offers = { ...throttle.ofRoutes, offers: throttle.ofRoutes.offers + 1 };
    const ofDefault: Throttle = { ...throttle, otherwise: throttle.otherwise + 1 };

    // POST /v1/offers and POST /v1/offers/check.
    expect(throttleSums({ ...throttle, ofRoutes: offers }).requestsPerSecond).toBe(before + 2);
    // 32 resources with 7 methods each, without the pairs that have a route.
    expect(throttleSums(ofDefault).requestsPerSecond).toBe(
      before + 32 * 7 - methodLimits(throttle).length,
    );
  });
});

describe("the limits of every stage", () => {
  it("do not exceed the gateway's quota, which the synthesis checks", () => {
    expect(() => buildApp({ bundle: false, context: { stage: "dev" } })).not.toThrow();
    const { requestsPerSecond, burst } = throttleSums(throttle);
    expect(requestsPerSecond).toBeLessThanOrEqual(accountQuota.requestsPerSecond);
    expect(burst).toBeLessThanOrEqual(accountQuota.burst);
  });
});

describe("the figures of docs/performance.md", () => {
  it("equal the limits of prod", () => {
    const page = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");
    const shown = (value: number): string => value.toLocaleString("en");

    expect(page).toContain(`add up to ${shown(throttleSums(throttle).requestsPerSecond)} calls`);
    expect(page).toContain(`${shown(throttle.ofRoutes.products)} for \`POST /v1/products\``);
    expect(page).toContain(`${shown(throttle.ofRoutes.offers)} for \`POST /v1/offers\``);
  });
});
