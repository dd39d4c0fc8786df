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
  /** The error if the body cannot be parsed. */
  readonly bodyRefusal?: unknown;
}

/**
 * Parses the body and the query of a call. Returns no body for public paths, whose bodies are not
 * read. Never throws: if the body cannot be parsed, the error is in `bodyRefusal`.
 */
export async function sentParts(
  event: APIGatewayProxyEvent,
  readsBody: boolean,
): Promise<SentParts> {
  const query = { ...event.queryStringParameters };
  if (!readsBody) return { body: undefined, query };
  try {
    return { body: await jsonBody(event), query };
  } catch (error) {
    return { body: undefined, query, bodyRefusal: error };
  }
}

/**
 * Validates body and query with the route's schemas and returns the parsed values. Checks in this
 * order: a body that cannot be parsed, an unknown or repeated query parameter, an unknown field of the
 * body, the body, the query. Unknown names are checked before missing ones, so that the error quotes
 * a misspelled name.
 * @throws 400 or 413 that names the first invalid parameter
 */
export function parsedParts<Dependencies>({
  key,
  route,
  event,
  sent,
}: {
  readonly key: RouteKey;
  readonly route: AnyRoute<Dependencies>;
  readonly event: APIGatewayProxyEvent;
  readonly sent: SentParts;
}): { readonly body: never; readonly query: never } {
  if (sent.bodyRefusal !== undefined) throw sent.bodyRefusal;
  const refusal =
    queryRefusal({ key, query: route.query }, event) ??
    bodyFieldRefusal({ key, schema: route.body }, sent.body);
  if (refusal !== undefined) throw refusal;
  return {
    body: parsed(route.body, sent.body ?? {}),
    query: parsed(route.query, sent.query),
  };
}

const parsed = (schema: AnyRoute<unknown>["body"], value: unknown): never =>
  (schema === undefined ? undefined : validate(schema, value)) as never;
