import type { Endpoint } from "./endpoint.ts";

export type CreateEndpointOutcome =
  | { readonly outcome: "created" }
  | { readonly outcome: "url_taken" }
  | { readonly outcome: "limit_reached" };

export type ReplaceEndpointOutcome =
  | { readonly outcome: "replaced" }
  /** The endpoint is not as it was any more, or gone. */
  | { readonly outcome: "changed" }
  | { readonly outcome: "url_taken" }
  /** Its outbox no longer says that it has been failing for so long. */
  | { readonly outcome: "recovered" };

/** The webhook endpoints of accounts; one account never sees another's. */
export interface EndpointStore {
  /**
   * Keeps a new endpoint. In one transaction with it the URL is taken for the account and the count
   * of endpoints goes up, so neither bound can be passed by calls at the same time.
   */
  create(accountId: string, endpoint: Endpoint): Promise<CreateEndpointOutcome>;
  /**
   * Puts `after` in the place of an endpoint that still is as `before` says; versions differ in
   * their `updatedAt`. Another URL is taken, and the old one given back, in the same transaction.
   * With `failingSince`, only while the endpoint's outbox stores that it has been failing since then.
   */
  replace(
    before: Endpoint,
    after: Endpoint,
    condition?: { readonly failingSince: string | null },
  ): Promise<ReplaceEndpointOutcome>;
  /**
   * Deletes an endpoint; in one transaction its URL is released, the count of endpoints goes down and
   * the URL is kept for `deletions`. False when there is none.
   */
  delete(accountId: string, id: string, now: Date): Promise<boolean>;
  /** Counts a test delivery in its minute; false when the minute has had its bound of them. */
  admitTest(accountId: string, id: string, now: Date): Promise<boolean>;
  get(accountId: string, id: string): Promise<Endpoint | null>;
  /** Every endpoint of the account, oldest first. */
  list(accountId: string): Promise<readonly Endpoint[]>;
  countEndpoints(accountId: string): Promise<number>;
  /** Finds by the normalised URL (`normaliseUrl`). */
  findByUrl(accountId: string, url: string): Promise<Endpoint | null>;
  /**
   * The deletions of up to 100 endpoints, by endpoint id. An endpoint that was deleted more than
   * `limits.deletedEndpointDays` ago is left out.
   */
  deletions(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Deletion>>;
}

/** What is kept of a deleted endpoint. */
export interface Deletion {
  /** The URL that it had last. */
  readonly url: string;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

/** For whoever changes nothing about endpoints. */
export type EndpointLookup = Pick<
  EndpointStore,
  "get" | "list" | "countEndpoints" | "findByUrl" | "deletions"
>;
