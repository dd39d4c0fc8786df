/** `coming_soon` is announced and answers 501; `live` can be read. */
export type Status = "live" | "coming_soon";

/** How much of an item a call reads, and what that costs. */
export interface Tier {
  readonly id: string;
  readonly name: string;
  /** Price of one answered item, in quarter-credits. */
  readonly costQuarters: number;
  readonly itemsPerCallMax: number;
}

/** The kinds of item calls. */
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

/** A kind of item call that a platform serves, or will. */
export interface Endpoint {
  readonly id: EndpointId;
  readonly name: string;
  /** Method and path. */
  readonly route: string;
  readonly status: Status;
  /** Empty as long as the endpoint is only announced. */
  readonly tiers: readonly Tier[];
}

export const liveEndpoint = (id: EndpointId, tiers: readonly Tier[]): Endpoint => ({
  id,
  name: endpointNames[id],
  route: routes[id],
  status: "live",
  tiers,
});

export const announcedEndpoints = (...ids: readonly EndpointId[]): readonly Endpoint[] =>
  ids.map((id) => ({
    id,
    name: endpointNames[id],
    route: routes[id],
    status: "coming_soon",
    tiers: [],
  }));
