import type { Endpoint } from "./endpoint.ts";

export type CreateEndpointOutcome =
  | { readonly outcome: "created" }
  | { readonly outcome: "url_taken" }
  | { readonly outcome: "limit_reached" };

/** The webhook endpoints of accounts; one account never sees another's. */
export interface EndpointStore {
  /**
   * Keeps a new endpoint. In one transaction with it the URL is taken for the account and the count
   * of endpoints goes up, so neither bound can be passed by calls at the same time.
   */
  create(accountId: string, endpoint: Endpoint): Promise<CreateEndpointOutcome>;
  get(accountId: string, id: string): Promise<Endpoint | null>;
  /** Every endpoint of the account, oldest first. */
  list(accountId: string): Promise<readonly Endpoint[]>;
  countEndpoints(accountId: string): Promise<number>;
  /** Finds by the normalised URL (`normaliseUrl`). */
  findByUrl(accountId: string, url: string): Promise<Endpoint | null>;
}
