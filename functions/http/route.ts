import type { GenericSchema, InferOutput } from "valibot";
import type { Figures } from "../../shared/observability/figures.ts";
import type { RouteKey } from "../routes.ts";

/** The account and key behind a call, as the authentication found them. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly keyPrefix: string;
  readonly demo: boolean;
}

/** What an operation gets to see of a call. */
export interface Call<Body, Query> {
  readonly routeKey: RouteKey;
  readonly caller: Caller;
  readonly body: Body;
  readonly query: Query;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Every value of a request header, by its lower-case name. */
  readonly headers: (name: string) => readonly string[];
  readonly requestId: string;
  readonly now: Date;
  /** When work must stop so that there is time to settle and answer. */
  readonly deadline: Date;
  /** Milliseconds until the answer can no longer be sent; negative after that. */
  readonly msToAnswer: () => number;
  /** The path as the client wrote it, what the gateway takes off included. */
  readonly addressedPath: string;
  /** `https://host/v1` as the client addressed it, for resource addresses. */
  readonly baseUrl: string;
}

export interface Reply {
  readonly status: number;
  /** Sent as JSON; a string is sent as it is, with the Content-Type that the headers name. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the call came to, for the metrics. */
  readonly figures?: readonly Figures[];
}

/** A call as it was sent: nothing of it was judged yet. */
export type SentCall = Readonly<Record<"body" | "query", unknown>> &
  Pick<Call<unknown, unknown>, "path">;

/**
 * One operation: what it accepts and what it does. The order inside a call (key, rate limit, demo
 * check, 501, parameters, work) is fixed in the group handler, never here.
 */
export interface Route<Dependencies, Body = unknown, Query = unknown> {
  readonly body?: GenericSchema<unknown, Body>;
  readonly query?: GenericSchema<unknown, Query>;
  /**
   * Throws the 501 of what is announced only. Runs before the schemas, so that nothing else that is
   * wrong with the call hides it.
   */
  readonly announced?: (sent: SentCall) => void;
  /** Throws the 400 of what the schemas cannot judge. Runs after them. */
  readonly check?: (parts: Pick<Call<Body, Query>, "body" | "query" | "path">) => void;
  readonly handle: (call: Call<Body, Query>, dependencies: Dependencies) => Promise<Reply>;
}

/** A route with its types forgotten, as the group handler keeps it. */
export type AnyRoute<Dependencies> = Route<Dependencies, never, never>;

/** Declares an operation; the types of body and query follow from the schemas. */
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
