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
 * Health of an endpoint: the results of its latest attempts. Times are ISO 8601 UTC. Stored as the
 * session state of the endpoint's outbox, in the transaction that logs the attempts, so it costs no
 * extra request. Test deliveries do not count.
 */
const endpointHealth = object({
  /** The endpoint's `receivingSince` when the failures were counted; null: no attempts yet. */
  receivingSince: optional(nullable(string()), null),
  /** Number of failed attempts, including timeouts, since the last success. */
  failuresInRow: optional(number(), 0),
  /** Start of the first of these failed attempts. */
  failingSince: optional(nullable(string()), null),
  /** Error code of the last of these failed attempts. */
  lastError: optional(nullable(string()), null),
  /** Start of the latest successful attempt. */
  lastSuccessAt: optional(nullable(string()), null),
});
export type EndpointHealth = Readonly<InferOutput<typeof endpointHealth>>;

export const unknownHealth: EndpointHealth = parse(endpointHealth, {});

/** Parses the stored session state of an endpoint's outbox. Unknown health if it is malformed. */
export function healthOf(state: unknown): EndpointHealth {
  const found = safeParse(endpointHealth, state);
  return found.success ? found.output : unknownHealth;
}

/** The health of an endpoint without failures from before it was last enabled or given its URL. */
export const healthFor = (
  { receivingSince }: Pick<WebhookEndpoint, "receivingSince">,
  health: EndpointHealth,
): EndpointHealth =>
  health.receivingSince === receivingSince
    ? health
    : { ...unknownHealth, receivingSince, lastSuccessAt: health.lastSuccessAt };

/** True if the endpoint's status is `failing`. Its first attempts are then postponed, except one probe. */
export const isEndpointFailing = ({ failuresInRow }: EndpointHealth): boolean =>
  failuresInRow >= limits.failuresUntilFailing;

/** Tracks the health of an endpoint during a session. */
export interface HealthTracker {
  current(): EndpointHealth;
  /** Counts an attempt. `endpoint`: the endpoint at the start of the attempt. */
  note(attempt: Pick<Attempt, "at" | "error">, endpoint: WebhookEndpoint): void;
}

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
 * Why an attempt disables its endpoint; null if it does not. The reasons are a 410 response, and a
 * delivery that exhausted its retries after five days without a success.
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
