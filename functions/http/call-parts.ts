import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Access, RouteKey } from "../routes.ts";
import { jsonBody } from "./json-body.ts";
import { queryRefusal } from "./query.ts";
import type { AnyRoute } from "./route.ts";
import { validate } from "./validate.ts";

/** Body and query of a call, not yet validated. */
export interface SentParts {
  /** Undefined for a call without a body, and for a body that cannot be read. */
  readonly body: unknown;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Why the body cannot be read. */
  readonly bodyRefusal?: unknown;
}

/** Reads the body and the query of a call. Public paths ignore bodies. */
export async function sentParts(event: APIGatewayProxyEvent, access: Access): Promise<SentParts> {
  const query = { ...event.queryStringParameters };
  if (access === "public") return { body: undefined, query };
  try {
    return { body: await jsonBody(event), query };
  } catch (error) {
    return { body: undefined, query, bodyRefusal: error };
  }
}

/**
 * Validates body and query by the route's schemas. Order of refusals: an unreadable body; an unknown or
 * repeated query parameter, as a misspelled name is also why a required one is missing; then body and
 * query by their schemas.
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
  const refusal = queryRefusal({ key, query: route.query }, event);
  if (refusal !== undefined) throw refusal;
  return {
    body: parsed(route.body, sent.body ?? {}),
    query: parsed(route.query, sent.query),
  };
}

const parsed = (schema: AnyRoute<unknown>["body"], value: unknown): never =>
  (schema === undefined ? undefined : validate(schema, value)) as never;
