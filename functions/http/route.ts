import type { GenericSchema, InferOutput } from "valibot";
import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import type { OwnAddresses } from "../../shared/outgoing/url.ts";
import type { RouteKey } from "../routes.ts";

/** The data of a call that an operation receives. */
export interface Call<Body, Query> {
  readonly routeKey: RouteKey;
  /** The account and the key of the call. Empty strings for a route that needs no key. */
  readonly caller: KeyOwner;
  readonly body: Body;
  readonly query: Query;
  /** The decoded path parameters. */
  readonly path: Readonly<Record<string, string>>;
  /** Returns every value of a request header, given its lower-case name. */
  readonly headers: (name: string) => readonly string[];
  readonly requestId: string;
  readonly now: Date;
  /**
   * The time at which reads of items must stop, so that the call can still settle its charge and
   * respond.
   */
  readonly deadline: Date;
  /** Returns the milliseconds until it is too late to send the response; negative after that. */
  readonly msToAnswer: () => number;
  /** The path that the client sent, with the stage prefix. */
  readonly addressedPath: string;
  /** The base URL that the client used, such as `https://host/v1`, for URLs of resources. */
  readonly baseUrl: string;
  /** The addresses of this service. Customers cannot register them for a receiver or a store. */
  readonly own: OwnAddresses;
}

/** The response of an operation. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** Sent as JSON. A string or a Buffer is sent unchanged, with the Content-Type in `headers`. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The metrics of the call. */
  readonly metrics?: readonly Metrics[];
}

/** The parameters of a call before validation. */
export type SentCall = Readonly<Record<"body" | "query", unknown>> &
  Pick<Call<unknown, unknown>, "path">;

/**
 * An operation: its schemas, its checks and its handler. The group handler defines the order of the
 * checks: key, rate limit, demo workspace, scopes, announced features, parameters, operation.
 */
export interface Route<Dependencies, Body = unknown, Query = unknown> {
  readonly body?: GenericSchema<unknown, Body>;
  readonly query?: GenericSchema<unknown, Query>;
  /**
   * Throws 501 for a feature that is announced but not yet available. It is called before the
   * schemas, so that an invalid parameter does not hide the 501.
   */
  readonly announced?: (sent: SentCall) => void;
  /** Throws 400 for errors that the schemas cannot detect. It is called after the schemas. */
  readonly check?: (parts: Pick<Call<Body, Query>, "body" | "query" | "path">) => void;
  readonly handle: (call: Call<Body, Query>, dependencies: Dependencies) => Promise<Reply>;
}

/** A route without its types of body and query, for the route table of a group handler. */
export type AnyRoute<Dependencies> = Route<Dependencies, never, never>;

/** Loads a route at its first call, because the operation of the route needs much code. */
export type LoadRoute<Dependencies> = () => Promise<AnyRoute<Dependencies>>;

/**
 * Declares an operation of the API: its schemas, its checks and its handler. The types of body and
 * query follow from the schemas.
 * @param definition see `Route`
 */
export function route<
  Dependencies,
  BodySchema extends GenericSchema = GenericSchema<unknown, undefined>,
  QuerySchema extends GenericSchema = GenericSchema<unknown, undefined>,
>(definition: {
  readonly body?: BodySchema;
  readonly query?: QuerySchema;
  readonly announced?: (sent: SentCall) => void;
  readonly check?: (
    parts: Pick<Call<InferOutput<BodySchema>, InferOutput<QuerySchema>>, "body" | "query" | "path">,
  ) => void;
  readonly handle: (
    call: Call<InferOutput<BodySchema>, InferOutput<QuerySchema>>,
    dependencies: Dependencies,
  ) => Promise<Reply>;
}): AnyRoute<Dependencies> {
  return definition as unknown as AnyRoute<Dependencies>;
}
