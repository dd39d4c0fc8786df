import type { WebhookEndpoint } from "./endpoint.ts";

export type CreateEndpointOutcome =
  | { readonly outcome: "created" }
  | { readonly outcome: "url_taken" }
  | { readonly outcome: "limit_reached" };

export type ReplaceEndpointOutcome =
  | { readonly outcome: "replaced" }
  /** The endpoint was changed or deleted since it was read. */
  | { readonly outcome: "changed" }
  | { readonly outcome: "url_taken" }
  /** An attempt succeeded since `failingSince`. */
  | { readonly outcome: "recovered" };

/** Stores webhook endpoints by account. */
export interface EndpointStore {
  /**
   * Creates an endpoint. The same transaction reserves its URL for the account and increases the
   * number of endpoints, so that concurrent calls cannot exceed either limit.
   */
  create(accountId: string, endpoint: WebhookEndpoint): Promise<CreateEndpointOutcome>;
  /**
   * Replaces an endpoint if its `updatedAt` is still that of `before`. The same transaction reserves
   * a new URL and releases the old one. With `failingSince`, only if the endpoint's stored health
   * has this value.
   */
  replace(
    before: WebhookEndpoint,
    after: WebhookEndpoint,
    condition?: { readonly failingSince: string | null },
  ): Promise<ReplaceEndpointOutcome>;
  /**
   * Deletes an endpoint. The same transaction releases its URL, decreases the number of endpoints,
   * and stores the URL for `deletions`. False if the endpoint does not exist.
   */
  delete(accountId: string, id: string, now: Date): Promise<boolean>;
  /** Counts a test delivery; false if the limit of the current minute is reached. */
  admitTest(accountId: string, id: string, now: Date): Promise<boolean>;
  get(accountId: string, id: string): Promise<WebhookEndpoint | null>;
  /** All endpoints of the account, oldest first. */
  list(accountId: string): Promise<readonly WebhookEndpoint[]>;
  countEndpoints(accountId: string): Promise<number>;
  /** Finds an endpoint by its normalised URL (`normaliseUrl`). */
  findByUrl(accountId: string, url: string): Promise<WebhookEndpoint | null>;
  /**
   * The deletions of up to 100 endpoints, by endpoint ID, without those that are older than
   * `limits.deletedEndpointDays`.
   */
  deletions(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Deletion>>;
}

/** The stored record of a deleted endpoint. */
export interface Deletion {
  /** The endpoint's last URL. */
  readonly url: string;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

/** Read-only access to endpoints. */
export type EndpointLookup = Pick<
  EndpointStore,
  "get" | "list" | "countEndpoints" | "findByUrl" | "deletions"
>;
