import type { Clock } from "../base/clock.ts";
import type { SecretBox } from "../base/secret-box.ts";
import {
  endpointSecretContext,
  requestsAtOnceTo,
  signingSecrets,
  type WebhookEndpoint,
} from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { ReceiverConnection, Sender } from "../outgoing/sender.ts";

/**
 * The endpoint, the secrets and the connection for an attempt; or the error code if no attempt can
 * be made.
 */
export type ReceiverState =
  | {
      readonly outcome: "ready";
      readonly endpoint: WebhookEndpoint;
      readonly secrets: readonly string[];
      readonly connection: ReceiverConnection;
    }
  | { readonly outcome: "refused"; readonly error: "endpoint_deleted" | "endpoint_disabled" };

/** Access to an endpoint and its receiver during a session. */
export interface ReceiverAccess {
  /**
   * Reads the endpoint from the store, and caches it for `ready`. Returns null if it was deleted.
   */
  current(): Promise<WebhookEndpoint | null>;
  /**
   * Returns the endpoint as it was stored at most one second ago, or an error code if the endpoint
   * does not receive events.
   */
  ready(): Promise<ReceiverState>;
  /** Discards the cached endpoint, so that the next `ready` reads the store. */
  forget(): void;
  close(): void;
}

export interface ReceiverDependencies {
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly secrets: SecretBox;
  readonly sender: Sender;
  readonly clock: Clock;
}

const freshMs = 1_000;

/**
 * Opens access to an endpoint and its receiver for one session. `ready` returns the endpoint as it
 * was stored at most one second ago, with its secrets and a connection; if the endpoint is disabled
 * or deleted, it returns the reason instead. The first request connects, and later requests reuse
 * the connections until `close`.
 */
export function openReceiver(
  { accountId, endpointId }: { readonly accountId: string; readonly endpointId: string },
  { endpoints, secrets, sender, clock }: ReceiverDependencies,
): ReceiverAccess {
  let cached: { readonly ready: Promise<ReceiverState>; readonly at: number } | undefined;
  let lastRead:
    | { readonly endpoint: Promise<WebhookEndpoint | null>; readonly at: number }
    | undefined;
  const connections = receiverConnections(sender);
  const isFresh = (at: number): boolean => clock.now().getTime() - at < freshMs;
  const current = (): Promise<WebhookEndpoint | null> => {
    // The read is cached before it ends, so that `forget` also discards a read in progress.
    const read = { endpoint: endpoints.get(accountId, endpointId), at: clock.now().getTime() };
    lastRead = read;
    read.endpoint.catch(() => {
      if (lastRead === read) lastRead = undefined;
    });
    return read.endpoint;
  };
  const freshEndpoint = async (): Promise<WebhookEndpoint | null> => {
    if (lastRead === undefined || !isFresh(lastRead.at)) return current();
    const endpoint = await lastRead.endpoint;
    // A refusal is not cached, so that requests start as soon as a client enables the endpoint.
    return endpointRefusal(endpoint) === null ? endpoint : current();
  };
  const openEndpoint = async (endpoint: WebhookEndpoint | null): Promise<ReceiverState> => {
    const error = endpointRefusal(endpoint);
    if (endpoint === null || error !== null) {
      return { outcome: "refused", error: error ?? "endpoint_deleted" };
    }
    const opened = await openSecrets(endpoint, clock.now(), secrets);
    return {
      outcome: "ready",
      endpoint,
      secrets: opened,
      connection: connections.to(endpoint),
    };
  };
  return {
    current,
    async ready() {
      if (cached !== undefined && isFresh(cached.at)) return cached.ready;
      const at =
        lastRead !== undefined && isFresh(lastRead.at) ? lastRead.at : clock.now().getTime();
      const ready = freshEndpoint().then(openEndpoint);
      cached = { ready, at };
      try {
        const { outcome } = await ready;
        if (outcome === "refused") cached = undefined;
      } catch (error) {
        cached = undefined;
        throw error;
      }
      return ready;
    },
    forget() {
      cached = undefined;
      lastRead = undefined;
    },
    close: () => connections.close(),
  };
}

/**
 * Creates the connections of a session to the receiver of an endpoint. `to` returns the open
 * connection, or a new one if the URL or the maximum number of concurrent requests has changed.
 */
function receiverConnections(sender: Sender) {
  let open:
    | { readonly url: string; readonly atOnce: number; readonly connection: ReceiverConnection }
    | undefined;
  const connections: ReceiverConnection[] = [];
  return {
    to(endpoint: WebhookEndpoint): ReceiverConnection {
      const { url } = endpoint;
      const atOnce = requestsAtOnceTo(endpoint);
      if (open?.url !== url || open.atOnce !== atOnce) {
        // The previous connection stays open, because requests may be in progress on it.
        open = { url, atOnce, connection: sender.connect(url, atOnce) };
        connections.push(open.connection);
      }
      return open.connection;
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

/**
 * Decrypts the secrets with which requests to an endpoint are signed at `now`. The current secret
 * is first.
 */
export function openSecrets(
  endpoint: WebhookEndpoint,
  now: Date,
  secrets: SecretBox,
): Promise<readonly string[]> {
  const context = endpointSecretContext(endpoint.accountId, endpoint.id);
  return Promise.all(signingSecrets(endpoint, now).map((sealed) => secrets.open(sealed, context)));
}

/**
 * Returns the error code with which deliveries to an endpoint end (specification, section "Events",
 * rule 2): `endpoint_deleted` for null, or `endpoint_disabled`. Returns null if the endpoint
 * receives events.
 */
export function endpointRefusal(
  endpoint: WebhookEndpoint | null,
): "endpoint_deleted" | "endpoint_disabled" | null {
  if (endpoint === null) return "endpoint_deleted";
  return endpoint.enabled ? null : "endpoint_disabled";
}
