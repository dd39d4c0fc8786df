import {
  type InferOutput,
  nullable,
  number,
  object,
  optional,
  parse,
  safeParse,
  string,
} from "valibot";
import { limits } from "../base/limits.ts";
import { type Attempt, type Delivery, isGone } from "./delivery.ts";
import type { DisabledReason, WebhookEndpoint } from "./endpoint.ts";

/**
 * Health of an endpoint: the results of its latest attempts, except test deliveries. Times are ISO
 * 8601 UTC. The health is stored as the session state of the endpoint's outbox. The transaction
 * that logs the attempts also writes the health, so no extra request is needed.
 */
const endpointHealth = object({
  /**
   * `receivingSince` of the endpoint at the latest attempt; null before the first attempt.
   */
  receivingSince: optional(nullable(string()), null),
  /** Number of failed attempts since the last success, including timeouts. */
  failuresInRow: optional(number(), 0),
  /** Start time of the first failed attempt since the last success; null if there is none. */
  failingSince: optional(nullable(string()), null),
  /** Error code of the last failed attempt since the last success; null if there is none. */
  lastError: optional(nullable(string()), null),
  /** Start time of the latest successful attempt; null before the first. */
  lastSuccessAt: optional(nullable(string()), null),
});
export type EndpointHealth = Readonly<InferOutput<typeof endpointHealth>>;

/** The health of an endpoint that has had no attempt yet. */
export const unknownHealth: EndpointHealth = parse(endpointHealth, {});

/**
 * Parses the health of an endpoint, which is stored as the session state of the endpoint's outbox.
 * Returns `unknownHealth` for a malformed state.
 */
export function healthOf(state: unknown): EndpointHealth {
  const parsedState = safeParse(endpointHealth, state);
  return parsedState.success ? parsedState.output : unknownHealth;
}

/**
 * Returns the health of an endpoint without the failures before `receivingSince`: the time at which
 * the endpoint was created, was last enabled or got its current URL.
 */
export const healthFor = (
  { receivingSince }: Pick<WebhookEndpoint, "receivingSince">,
  health: EndpointHealth,
): EndpointHealth =>
  health.receivingSince === receivingSince
    ? health
    : { ...unknownHealth, receivingSince, lastSuccessAt: health.lastSuccessAt };

/**
 * Returns true if an endpoint counts as failing. The first attempts of its deliveries are then
 * postponed, except for one trial (see `FirstAttemptGate`).
 */
export const isEndpointFailing = ({ failuresInRow }: EndpointHealth): boolean =>
  failuresInRow >= limits.failuresUntilFailing;

/** Tracks the health of an endpoint during a session. */
export interface HealthTracker {
  current(): EndpointHealth;
  /** Counts an attempt. @param endpoint the endpoint as it was at the start of the attempt */
  note(attempt: Pick<Attempt, "at" | "error">, endpoint: WebhookEndpoint): void;
}

/** Creates a tracker of an endpoint's health that starts with the stored health. */
export function trackHealth(stored: EndpointHealth): HealthTracker {
  let health = stored;
  return {
    current: () => health,
    note({ at, error }, endpoint) {
      const before = healthFor(endpoint, health);
      health =
        error === null
          ? { ...before, failuresInRow: 0, failingSince: null, lastError: null, lastSuccessAt: at }
          : {
              ...before,
              failuresInRow: before.failuresInRow + 1,
              failingSince: before.failingSince ?? at,
              lastError: error,
            };
    },
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Returns the reason for which an attempt disables its endpoint; null if the endpoint stays
 * enabled. The reasons are a response 410, and a delivery that has exhausted its retries while the
 * endpoint has been failing for five days.
 * @param attempted the delivery after the attempt
 */
export function disablingReason(
  { attempt, attempted }: { readonly attempt: Attempt; readonly attempted: Delivery },
  { failingSince }: EndpointHealth,
  now: Date,
): Exclude<DisabledReason, "user"> | null {
  if (isGone(attempt)) return "gone";
  const isExhausted = attempted.state === "failed";
  if (!isExhausted || failingSince === null) return null;
  const failingDays = (now.getTime() - Date.parse(failingSince)) / dayMs;
  return failingDays >= limits.webhookFailingDaysMax ? "failing" : null;
}
