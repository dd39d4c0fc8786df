import type { RouteKey } from "../routes.ts";
import { callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./middleware.ts";

/** A deprecated operation, or a deprecated field of its body or query. */
export interface Deprecation {
  readonly route: RouteKey;
  /** Name of the deprecated field; absent if the whole operation is deprecated. */
  readonly field?: string;
  /** The UTC date of the deprecation. */
  readonly since: string;
  /**
   * The UTC date on which the operation or field stops working; absent if the date is not decided.
   */
  readonly sunset?: string;
}

/**
 * All deprecated parts of the API. The OpenAPI document marks the same operations and fields. The
 * rule for `sunset` is in `docs/api-guide.md`.
 */
export const deprecations: readonly Deprecation[] = [
  { route: "POST /v1/products", field: "asins", since: "2026-11-23" },
  { route: "POST /v1/products", field: "include", since: "2026-11-23" },
  { route: "POST /v1/products/sandbox", field: "asins", since: "2026-11-23" },
  { route: "POST /v1/products/sandbox", field: "include", since: "2026-11-23" },
  { route: "POST /v1/offers", field: "asins", since: "2026-11-23" },
  { route: "POST /v1/watchlists", field: "asins", since: "2026-11-23" },
  { route: "POST /v1/watchlists/{id}/asins", since: "2026-11-23" },
];

/** Returns true if the whole operation is deprecated. */
export const isDeprecated = (route: RouteKey): boolean =>
  deprecations.some((one) => one.route === route && one.field === undefined);

const page = "/docs/api-guide#deprecated-operations-and-fields";

/**
 * Returns the headers that notify a client of the deprecated parts of the API that its call uses:
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`. Returns no headers if the call uses no
 * deprecated part. If the call uses several, the headers contain the earliest dates.
 * @param sent the body and the query of the call before validation
 */
export function deprecationHeaders(
  route: RouteKey,
  sent: Readonly<Record<"body" | "query", unknown>>,
  table: readonly Deprecation[] = deprecations,
): Readonly<Record<string, string>> {
  const used = table.filter(
    (one) =>
      one.route === route &&
      (one.field === undefined ||
        hasField(sent.body, one.field) ||
        hasField(sent.query, one.field)),
  );
  const since = earliest(used.map((one) => one.since));
  if (since === undefined) return {};
  const sunset = earliest(used.flatMap((one) => one.sunset ?? []));
  return {
    Deprecation: `@${since.getTime() / 1_000}`,
    ...(sunset === undefined ? {} : { Sunset: sunset.toUTCString() }),
    Link: `<${page}>; rel="deprecation"; type="text/html"`,
  };
}

const hasField = (value: unknown, field: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, field);

/** Returns midnight UTC of the earliest date (YYYY-MM-DD); undefined for an empty array. */
function earliest(dates: readonly string[]): Date | undefined {
  const [first] = dates.toSorted();
  return first === undefined ? undefined : new Date(`${first}T00:00:00Z`);
}

const addHeaders: NonNullable<HttpMiddleware["after"]> = ({ event, response }) => {
  const headers = callStateOf(event)?.deprecation;
  if (response && headers !== undefined) response.headers = { ...response.headers, ...headers };
};

/**
 * Middleware that adds the headers about deprecations to every response of a call, including
 * errors.
 */
export const deprecation: HttpMiddleware = { after: addHeaders, onError: addHeaders };
