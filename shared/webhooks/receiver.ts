import type { Clock } from "../base/clock.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { openSecrets, refusalOf } from "./delivery-attempt.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { ReceiverConnection, Sender } from "../outgoing/sender.ts";

/** What an attempt needs of its endpoint, or why there can be none. */
export type Ready =
  | {
      readonly outcome: "ready";
      readonly endpoint: Endpoint;
      readonly secrets: readonly string[];
      readonly connection: ReceiverConnection;
    }
  | { readonly outcome: "refused"; readonly error: "endpoint_deleted" | "endpoint_disabled" };

/** An endpoint while its outbox is worked off. */
export interface Receiver {
  /** The endpoint as it was within the last second, or why it gets nothing now. */
  ready(): Promise<Ready>;
  /** Has the next `ready` look the endpoint up again. */
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

export function openReceiver(
  { accountId, endpointId }: { readonly accountId: string; readonly endpointId: string },
  { endpoints, secrets, sender, clock }: ReceiverDependencies,
): Receiver {
  let found: { readonly ready: Promise<Ready>; readonly at: number } | undefined;
  let open: { readonly url: string; readonly connection: ReceiverConnection } | undefined;

  const connections: ReceiverConnection[] = [];

  const connectionTo = (url: string): ReceiverConnection => {
    if (open?.url !== url) {
      // Deliveries to an address that was changed may still be under way.
      open = { url, connection: sender.connect(url) };
      connections.push(open.connection);
    }
    return open.connection;
  };
  const look = async (): Promise<Ready> => {
    const endpoint = await endpoints.get(accountId, endpointId);
    const error = refusalOf(endpoint);
    if (endpoint === null || error !== null) {
      return { outcome: "refused", error: error ?? "endpoint_deleted" };
    }
    const opened = await openSecrets(endpoint, clock.now(), secrets);
    return {
      outcome: "ready",
      endpoint,
      secrets: opened,
      connection: connectionTo(endpoint.url),
    };
  };
  return {
    async ready() {
      const at = clock.now().getTime();
      if (found !== undefined && at - found.at < freshMs) return found.ready;
      const ready = look();
      found = { ready, at };
      try {
        const { outcome } = await ready;
        // Whoever enables an endpoint may count on it at once.
        if (outcome === "refused") found = undefined;
      } catch (error) {
        found = undefined;
        throw error;
      }
      return ready;
    },
    forget() {
      found = undefined;
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}
