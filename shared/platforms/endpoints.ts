/** `live`: available. `coming_soon`: announced but not available yet, so calls return 501. */
export type Status = "live" | "coming_soon";

/** A level of detail of a read, and its price. */
export interface Tier {
  readonly id: string;
  readonly name: string;
  /** Price of one answered item in quarters of a credit. */
  readonly costQuarters: number;
  readonly itemsPerCallMax: number;
}

/** Names of the kinds of item calls, by ID. */
export const endpointNames = {
  products: "Products",
  offers: "Offers",
  offer_check: "Offer check",
} as const;

export type EndpointId = keyof typeof endpointNames;

const routes: Readonly<Record<EndpointId, string>> = {
  products: "POST /v1/products",
  offers: "POST /v1/offers",
  offer_check: "POST /v1/offers/check",
};

/** A kind of item call on one platform, whether `live` or `coming_soon`. */
export interface Endpoint {
  readonly id: EndpointId;
  readonly name: string;
  /** Method and path of the call. */
  readonly route: string;
  readonly status: Status;
  /** The tiers of the endpoint; empty while its status is `coming_soon`. */
  readonly tiers: readonly Tier[];
}

/** Returns the catalog entry of an endpoint that is available now, with these tiers. */
export const liveEndpoint = (id: EndpointId, tiers: readonly Tier[]): Endpoint => ({
  id,
  name: endpointNames[id],
  route: routes[id],
  status: "live",
  tiers,
});

/**
 * Returns the catalog entries of endpoints that are announced, but not yet available. Such an
 * endpoint has no tiers.
 */
export const announcedEndpoints = (...ids: readonly EndpointId[]): readonly Endpoint[] =>
  ids.map((id) => ({
    id,
    name: endpointNames[id],
    route: routes[id],
    status: "coming_soon",
    tiers: [],
  }));
