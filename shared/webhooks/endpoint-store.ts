import type { WebhookEndpoint } from "./endpoint.ts";

export type CreateEndpointOutcome =
  | { readonly outcome: "created" }
  | { readonly outcome: "url_taken" }
  | { readonly outcome: "limit_reached" };

export type ReplaceEndpointOutcome =
  | { readonly outcome: "replaced" }
  /** Nothing was written: the endpoint was changed or deleted after the caller read it. */
  | { readonly outcome: "changed" }
  | { readonly outcome: "url_taken" }
  /** Nothing was written: an attempt succeeded after `failingSince`. */
  | { readonly outcome: "recovered" };

/** Stores webhook endpoints by account. */
export interface EndpointStore {
  /**
   * Creates an endpoint. The same transaction reserves the endpoint's URL in the account and
   * increases the number of endpoints. Concurrent calls therefore cannot create duplicates or
   * exceed the limit.
   */
  create(accountId: string, endpoint: WebhookEndpoint): Promise<CreateEndpointOutcome>;
  /**
   * Replaces an endpoint if its stored `updatedAt` still equals `before.updatedAt`. The same
   * transaction reserves a new URL and releases the old URL. If `condition.failingSince` is not
   * null, the stored health of the endpoint must also have this `failingSince`.
   */
  replace(
    before: WebhookEndpoint,
    after: WebhookEndpoint,
    condition?: { readonly failingSince: string | null },
  ): Promise<ReplaceEndpointOutcome>;
  /**
   * Deletes an endpoint. The same transaction releases the endpoint's URL, decreases the number of
   * endpoints, and stores a `Deletion` for `deletions`. Returns false if the endpoint does not
   * exist.
   */
  delete(accountId: string, id: string, now: Date): Promise<boolean>;
  get(accountId: string, id: string): Promise<WebhookEndpoint | null>;
  /** Lists all endpoints of an account, oldest first. */
  list(accountId: string): Promise<readonly WebhookEndpoint[]>;
  countEndpoints(accountId: string): Promise<number>;
  /**
   * Finds an endpoint of an account by its normalized URL (`normalizeUrl`). Null if there is none.
   */
  findByUrl(accountId: string, url: string): Promise<WebhookEndpoint | null>;
  /**
   * Reads the deletions of endpoints. Returns them by endpoint ID, without deletions older than
   * `limits.deletedEndpointDays`.
   */
  deletions(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Deletion>>;
}

/** The stored record of a deleted endpoint. */
export interface Deletion {
  /** Last URL of the endpoint, normalized. */
  readonly url: string;
  /** Time of the deletion, ISO 8601 UTC. */
  readonly deletedAt: string;
}

/** Read-only access to endpoints. */
export type EndpointLookup = Pick<
  EndpointStore,
  "get" | "list" | "countEndpoints" | "findByUrl" | "deletions"
>;
