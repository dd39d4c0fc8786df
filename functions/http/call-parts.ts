import type { APIGatewayProxyEvent } from "aws-lambda";
import type { RouteKey } from "../routes.ts";
import { bodyFieldRefusal } from "./body-fields.ts";
import { jsonBody } from "./json-body.ts";
import { queryRefusal } from "./query.ts";
import type { AnyRoute } from "./route.ts";
import { validate } from "./validate.ts";

/** The body and the query of a call before validation. */
export interface SentParts {
  /**
   * The parsed JSON object. Undefined for a call without a body, and for a body that cannot be
   * parsed.
   */
  readonly body: unknown;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The number of values of each query parameter. */
  readonly queryCounts: ReadonlyMap<string, number>;
  /** The error if the body cannot be parsed. */
  readonly bodyRefusal?: unknown;
}

/**
 * Parses the body and the query of a call. Never throws: if the body cannot be parsed, the error is
 * in `bodyRefusal`.
 * @param readsBody false for public paths, whose bodies are not read
 */
export async function readSentParts(
  event: APIGatewayProxyEvent,
  readsBody: boolean,
): Promise<SentParts> {
  const query = { ...event.queryStringParameters };
  const queryCounts = countParameters(event);
  if (!readsBody) return { body: undefined, query, queryCounts };
  try {
    return { body: await jsonBody(event), query, queryCounts };
  } catch (error) {
    return { body: undefined, query, queryCounts, bodyRefusal: error };
  }
}

/** Returns the number of values of each query parameter of a call. */
function countParameters(event: APIGatewayProxyEvent): ReadonlyMap<string, number> {
  const repeated = Object.entries(event.multiValueQueryStringParameters ?? {});
  const single = Object.keys(event.queryStringParameters ?? {});
  return new Map([
    ...single.map((name) => [name, 1] as const),
    ...repeated.map(([name, values]) => [name, values?.length ?? 1] as const),
  ]);
}

/**
 * Validates body and query with the route's schemas and returns the parsed values. Checks in this
 * order: a body that cannot be parsed, an unknown or repeated query parameter, an unknown field of
 * the body, the body, the query. Unknown names are checked before missing ones, so that the error
 * quotes a misspelled name.
 * @throws 400 or 413 that names the first invalid parameter
 */
export function parseParts<Dependencies>({
  key,
  route,
  sent,
}: {
  readonly key: RouteKey;
  readonly route: AnyRoute<Dependencies>;
  readonly sent: SentParts;
}): { readonly body: never; readonly query: never } {
  if (sent.bodyRefusal !== undefined) throw sent.bodyRefusal;
  const refusal =
    queryRefusal({ key, query: route.query }, sent.queryCounts) ??
    bodyFieldRefusal({ key, schema: route.body }, sent.body);
  if (refusal !== undefined) throw refusal;
  return {
    body: parseWith(route.body, sent.body ?? {}),
    query: parseWith(route.query, sent.query),
  };
}

const parseWith = (schema: AnyRoute<unknown>["body"], value: unknown): never =>
  (schema === undefined ? undefined : validate(schema, value)) as never;
