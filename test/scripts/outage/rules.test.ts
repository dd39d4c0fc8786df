import { expect, it } from "vitest";
import { findBrokenRules, type Observation } from "../../../scripts/outage/rules.ts";

const retryAfter = { "retry-after": "1" };
const headers = (more: Readonly<Record<string, string>> = {}): Headers =>
  new Headers({
    "x-request-id": "req_1",
    "x-ratelimit-limit": "50",
    "x-ratelimit-remaining": "49",
    "x-ratelimit-reset": "1772000000",
    ...more,
  });
const withoutRequestId = headers(retryAfter);
withoutRequestId.delete("x-request-id");
const unavailable: Observation = {
  mode: "hanging",
  route: "POST /v1/products",
  status: 503,
  code: "UNAVAILABLE",
  headers: headers({ ...retryAfter, "x-service-credits": "0" }),
  seconds: 8,
  charged: 0,
  holdsCredits: false,
};
const usual: Observation = {
  ...unavailable,
  mode: "healthy",
  status: 200,
  code: undefined,
  headers: headers({ "x-service-credits": "1" }),
  charged: 1,
};
const publicRoute = {
  ...usual,
  headers: headers(),
  charged: 0,
  route: "GET /v1/platforms",
} as const;
const structured = {
  ...publicRoute,
  route: "GET /v1/structured/{platform}/{kind}",
  status: 501,
} as const;

it.each<[string, Observation]>([
  ["a 503 without a charge", unavailable],
  ["a charged 200 while the store is healthy", usual],
  ["a charged 200 after 25 s while the store is slow", { ...usual, mode: "slow", seconds: 25 }],
  ["a 503 while the store is slow", { ...unavailable, mode: "slow" }],
  ["a 200 of a public route while the store hangs", { ...publicRoute, mode: "hanging" }],
  ["a 501 of an announced route", structured],
  [
    "a 501 while everything after the key check hangs",
    { ...structured, mode: "hanging after the key check" },
  ],
])("the rules of the outage test accept an allowed response: %s", (_, seen) => {
  expect(findBrokenRules(seen)).toEqual([]);
});

const broken: readonly [text: string, seen: Observation][] = [
  ["got no response", { ...unavailable, status: 0, headers: new Headers() }],
  ["returned 500 where 503 is expected", { ...unavailable, status: 500 }],
  ["returned 200 where 503 is expected", { ...unavailable, status: 200, headers: headers() }],
  [
    "returned 404 where its usual status or 503 is expected",
    { ...unavailable, mode: "slow", status: 404 },
  ],
  ["returned 503 where its usual status is expected", { ...unavailable, mode: "healthy" }],
  [
    "returned 503 where its usual status is expected",
    { ...unavailable, route: "GET /v1/platforms", mode: "killed" },
  ],
  ["returned 200 where its usual status is expected", { ...structured, status: 200 }],
  [
    "returned 200 where 503 is expected",
    { ...usual, mode: "hanging after the key check", charged: 0, headers: headers() },
  ],
  ["returned 503 with the code INTERNAL", { ...unavailable, code: "INTERNAL" }],
  ["has no Retry-After", { ...unavailable, headers: headers() }],
  [
    "lacks rate-limit headers",
    { ...unavailable, headers: new Headers({ "x-request-id": "req_1", ...retryAfter }) },
  ],
  ["has no X-Request-Id", { ...unavailable, headers: withoutRequestId }],
  ["took 10.1 s", { ...unavailable, seconds: 10.1 }],
  ["took 29.1 s", { ...usual, mode: "slow", seconds: 29.1 }],
  [
    "was charged 3 credits and returned 503",
    { ...unavailable, charged: 3, headers: headers(retryAfter) },
  ],
  ["still holds credits", { ...unavailable, holdsCredits: true }],
  ["returned X-Service-Credits 1 and was charged 0", { ...usual, charged: 0 }],
];

it.each(broken.map(([text, seen]) => ({ text, seen })))(
  "the rules of the outage test report a call of $seen.route in the mode '$seen.mode' if the call $text",
  ({ text, seen }) => {
    expect(findBrokenRules(seen)).toEqual([text]);
  },
);

it("the rules of the outage test report a charge for a call that got no response", () => {
  const seen = { ...unavailable, status: 0, headers: new Headers(), charged: 2 };
  expect(findBrokenRules(seen)).toEqual([
    "got no response",
    "was charged 2 credits and returned 0",
  ]);
});
