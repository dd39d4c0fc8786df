/** `live`: available; `coming_soon`: announced, returns 501. */
export type Status = "live" | "coming_soon";

/** The detail of a read, and its price. */
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

/** A kind of item call of a platform, live or announced. */
export interface Endpoint {
  readonly id: EndpointId;
  readonly name: string;
  /** Method and path. */
  readonly route: string;
  readonly status: Status;
  /** Empty for an announced endpoint. */
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
