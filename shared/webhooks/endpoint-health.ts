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
import type { DisabledReason, Endpoint } from "./endpoint.ts";

/**
 * How the latest attempts to an endpoint went; times are ISO 8601 UTC. Stored with the endpoint's
 * outbox, in the transaction that logs the attempts, so that it survives the lease at no extra
 * request. Test deliveries do not count.
 */
const endpointHealth = object({
  /** The endpoint's `receivingSince` for which the failures are counted; null: none were. */
  receivingSince: optional(nullable(string()), null),
  /** Attempts that failed since the last one that succeeded; a timeout is a failure. */
  failuresInRow: optional(number(), 0),
  /** When the first of them began. */
  failingSince: optional(nullable(string()), null),
  /** Why the last of them failed. */
  lastError: optional(nullable(string()), null),
  /** When the newest attempt that succeeded began. */
  lastSuccessAt: optional(nullable(string()), null),
});
export type EndpointHealth = Readonly<InferOutput<typeof endpointHealth>>;

export const unknownHealth: EndpointHealth = parse(endpointHealth, {});

/** Reads the state that an endpoint's outbox stores. */
export function healthOf(state: unknown): EndpointHealth {
  const found = safeParse(endpointHealth, state);
  return found.success ? found.output : unknownHealth;
}

/** The health that counts for an endpoint now: failures of before a change of its receiver do not. */
export const healthFor = (
  { receivingSince }: Pick<Endpoint, "receivingSince">,
  health: EndpointHealth,
): EndpointHealth =>
  health.receivingSince === receivingSince
    ? health
    : { ...unknownHealth, receivingSince, lastSuccessAt: health.lastSuccessAt };

/** Whether an endpoint is shown as `failing`; it is then spared first attempts. */
export const isFailing = ({ failuresInRow }: EndpointHealth): boolean =>
  failuresInRow >= limits.failuresUntilFailing;

/** The health of an endpoint while a session sends to it. */
export interface HealthTracker {
  current(): EndpointHealth;
  /** Counts an attempt to the endpoint as it was then. */
  note(attempt: Pick<Attempt, "at" | "error">, endpoint: Endpoint): void;
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
 * Why an attempt disables its endpoint; null when it does not. A 410 does, and so does a delivery
 * that has used up its attempts while nothing has been delivered for five days.
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
