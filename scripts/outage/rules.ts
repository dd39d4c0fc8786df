import { isPublic, type RouteKey } from "../../functions/routes.ts";
import { limits } from "../../shared/base/limits.ts";
import { sampleCalls } from "./sample-calls.ts";
import type { StoreMode } from "./store-proxy.ts";

/** The response to one call, and its charge after the store has recovered. */
export interface Observation {
  readonly mode: StoreMode;
  readonly route: RouteKey;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The `error.code` of the body; undefined if the body has none. */
  readonly code: string | undefined;
  readonly headers: Headers;
  readonly seconds: number;
  /** The credits charged for the call, minus refunded charges. */
  readonly charged: number;
  /** True if the call still reserves credits after the store has recovered. */
  readonly holdsCredits: boolean;
}

const rateHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] as const;
const failingSecondsMax = 10;

/**
 * Returns the longest accepted duration of a call in seconds. In some modes, the store responds
 * late to each of a call's requests.
 */
const secondsMaxIn = (mode: StoreMode): number =>
  mode === "slow" ? limits.gatewaySeconds.buffered : failingSecondsMax;

/** Returns true if a response has all headers of the rate limit. */
export const hasRateHeaders = ({ headers }: Observation): boolean =>
  rateHeaders.every((name) => headers.has(name));

/**
 * Returns the rules that the response to a call violates. Each rule is the end of a sentence that
 * begins with the route.
 * @returns An empty array if the response violates no rule.
 */
export function findBrokenRules(seen: Observation): readonly string[] {
  const { mode, route, status, code, headers, seconds } = seen;
  if (status === 0) return ["got no response", ...chargeRules(seen)];
  const isUnavailable = status === 503;
  const rules: readonly (readonly [isBroken: boolean, text: string])[] = [
    [!isExpected(seen), `returned ${status} where ${expectationOf(mode, route)} is expected`],
    [isUnavailable && code !== "UNAVAILABLE", `returned 503 with the code ${String(code)}`],
    [isUnavailable && !headers.has("retry-after"), "has no Retry-After"],
    [!hasRateHeaders(seen), "lacks rate-limit headers"],
    [!headers.has("x-request-id"), "has no X-Request-Id"],
    [seconds > secondsMaxIn(mode), `took ${seconds.toFixed(1)} s`],
  ];
  return [...rules.flatMap(([isBroken, text]) => (isBroken ? [text] : [])), ...chargeRules(seen)];
}

function chargeRules({ status, headers, charged, holdsCredits }: Observation): readonly string[] {
  const credits = headers.get("x-service-credits");
  const rules: readonly (readonly [isBroken: boolean, text: string])[] = [
    [holdsCredits, "still holds credits"],
    [status !== 200 && charged !== 0, `was charged ${charged} credits and returned ${status}`],
    [
      credits !== null && Number(credits) !== charged,
      `returned X-Service-Credits ${credits} and was charged ${charged}`,
    ],
  ];
  return rules.flatMap(([isBroken, text]) => (isBroken ? [text] : []));
}

type Expectation = "its usual status" | "503" | "its usual status or 503";

/** Returns the response that a route must give while the store is in `mode`. */
function expectationOf(mode: StoreMode, route: RouteKey): Expectation {
  const { checksStore = false, needsKeyOnly = false } = sampleCalls[route];
  if (mode === "healthy" || (isPublic(route) && !checksStore)) return "its usual status";
  if (mode === "slow" || checksStore) return "its usual status or 503";
  return mode === "hanging after the key check" && needsKeyOnly ? "its usual status" : "503";
}

function isExpected({ mode, route, status }: Observation): boolean {
  const expectation = expectationOf(mode, route);
  const { documented } = sampleCalls[route];
  const isUsual = documented === undefined ? status >= 200 && status < 300 : status === documented;
  return (
    (isUsual && expectation !== "503") || (status === 503 && expectation !== "its usual status")
  );
}
