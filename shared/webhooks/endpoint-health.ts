import { type InferOutput, number, object, optional, safeParse } from "valibot";

/**
 * How the latest attempts to an endpoint went. Stored with the endpoint's outbox, in the transaction
 * that logs the attempts, so that it survives the lease at no extra request.
 */
const endpointHealth = object({
  /** Attempts that failed since the last one that succeeded; a timeout is a failure. */
  failuresInRow: optional(number(), 0),
});
export type EndpointHealth = Readonly<InferOutput<typeof endpointHealth>>;

const unknownHealth: EndpointHealth = { failuresInRow: 0 };

/** Reads the state that an endpoint's outbox stores. */
export function healthOf(state: unknown): EndpointHealth {
  const found = safeParse(endpointHealth, state);
  return found.success ? found.output : unknownHealth;
}

/** After so many failures in a row, first attempts are left to the retry schedule. */
const failuresInRowMax = 3;

export const isFailing = ({ failuresInRow }: EndpointHealth): boolean =>
  failuresInRow >= failuresInRowMax;

/** The health of an endpoint while a session sends to it. */
export interface HealthTracker {
  current(): EndpointHealth;
  /** Counts an attempt; `error` is null when it succeeded. */
  note(attempt: { readonly error: string | null }): void;
}

export function trackHealth(stored: EndpointHealth): HealthTracker {
  let health = stored;
  return {
    current: () => health,
    note({ error }) {
      health = { failuresInRow: error === null ? 0 : health.failuresInRow + 1 };
    },
  };
}
