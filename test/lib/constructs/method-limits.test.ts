import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildApp } from "../../../lib/build-app.ts";
import { configs, stages, type Throttle } from "../../../lib/config.ts";
import { requestsPerSecondOfAddress } from "../../../lib/constructs/firewall.ts";
import { accountQuota, methodLimits, throttleSums } from "../../../lib/constructs/method-limits.ts";
import { limits } from "../../../shared/base/limits.ts";

const { throttle } = configs.prod;

describe("methodLimits, which computes the gateway's rate limits,", () => {
  it("returns the rate limit of each path and method, according to the kind of call", () => {
    const shownLimits = methodLimits(throttle).map(
      ({ path, verb, requestsPerSecond }) => `${verb} ${path} ${requestsPerSecond}`,
    );

    expect(shownLimits).toEqual(
      expect.arrayContaining([
        `POST /v1/products ${throttle.itemCalls}`,
        `DELETE /v1/api_keys/{proxy+} ${throttle.otherCalls}`,
        `GET /v1/{proxy+} ${throttle.otherCalls}`,
        `GET /v1/health ${throttle.otherCalls}`,
        `GET /dashboard ${throttle.otherCalls}`,
      ]),
    );
    expect(new Set(shownLimits).size).toBe(shownLimits.length);
  });
});

describe("throttleSums, which adds up the gateway's rate limits,", () => {
  it("adds up the limit of item calls for each item route, and the default limit for each other route", () => {
    const before = throttleSums(throttle).requestsPerSecond;
    const ofDefault: Throttle = { ...throttle, otherwise: throttle.otherwise + 1 };

    const ofItemCalls: Throttle = { ...throttle, itemCalls: throttle.itemCalls + 1 };
    // The four item routes: POST /v1/products, GET /v1/products/{proxy+}, POST /v1/offers and POST
    // /v1/offers/check.
    expect(throttleSums(ofItemCalls).requestsPerSecond).toBe(before + 4);
    // 38 resources have 7 methods each. The changed limit does not apply to methods that have a
    // separate limit.
    expect(throttleSums(ofDefault).requestsPerSecond).toBe(
      before + 38 * 7 - methodLimits(throttle).length,
    );
  });
});

describe("the gateway's rate limits", () => {
  it.each(stages)(
    "allow in the stage %s at least three times the rate of one API key, or of one IP address at the firewall's limit",
    (stage) => {
      const { itemCalls, otherCalls } = configs[stage].throttle;
      const { all, otherThanItemCalls } = requestsPerSecondOfAddress;

      expect(itemCalls).toBeGreaterThanOrEqual(3 * Math.max(all, limits.requestsPerSecond));
      expect(otherCalls).toBeGreaterThanOrEqual(
        3 * Math.max(otherThanItemCalls, limits.requestsPerSecond),
      );
    },
  );

  it("are in total within the gateway's quota on every stage", () => {
    expect(() => buildApp({ bundle: false, context: { stage: "dev" } })).not.toThrow();
    const { requestsPerSecond, burst } = throttleSums(throttle);
    expect(requestsPerSecond).toBeLessThanOrEqual(accountQuota.requestsPerSecond);
    expect(burst).toBeLessThanOrEqual(accountQuota.burst);
  });
});

describe("the rate limits in docs/performance.md", () => {
  it("equal the gateway's rate limits of prod", () => {
    const page = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");
    const shown = (value: number): string => value.toLocaleString("en");

    expect(page).toContain(`add up to ${shown(throttleSums(throttle).requestsPerSecond)} calls`);
    expect(page).toContain(
      `has a limit of ${throttle.itemCalls} calls per second if it makes item calls`,
    );
    expect(page).toContain(`of ${throttle.otherCalls} if it has another route`);
  });
});
