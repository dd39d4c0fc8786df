import type { APIGatewayProxyEvent } from "aws-lambda";
import type { GenericSchema } from "valibot";
import { assert } from "../../shared/base/assert.ts";
import { invalidParam, type ServiceError } from "../../shared/base/errors.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import type { RouteKey } from "../routes.ts";

/** Accepted everywhere: a key for clients that cannot set headers. */
const keyParameter = "api_key";
/** As much of a parameter's name as an error repeats. */
const shownLengthMax = 64;

/** The query parameters that a call carries, each with how often it was sent. */
function sentParameters(event: APIGatewayProxyEvent): ReadonlyMap<string, number> {
  const repeated = Object.entries(event.multiValueQueryStringParameters ?? {});
  const single = Object.keys(event.queryStringParameters ?? {});
  return new Map([
    ...single.map((name) => [name, 1] as const),
    ...repeated.map(([name, values]) => [name, values?.length ?? 1] as const),
  ]);
}

/**
 * Pages take no parameters and ignore what links add to them, such as a campaign's name. Retired
 * and unknown paths answer 410 and 404 whatever is sent.
 */
const isStrict = (key: RouteKey): boolean => !key.startsWith("ANY ") && key.includes(" /v1/");

/** Names of the query parameters that a route's schema takes. */
function acceptedParameters(schema: GenericSchema | undefined): readonly string[] {
  if (schema === undefined) return [];
  const { entries } = schema as { readonly entries?: object };
  assert(entries !== undefined, "a query schema is an object with an entry for each parameter");
  return Object.keys(entries);
}

/**
 * The refusal of a query that has an unknown or a repeated parameter: a mistyped name that was
 * ignored would silently mean the default.
 * @returns 400 INVALID_PARAM whose `param` is the parameter's name, or undefined
 */
export function queryRefusal(
  { key, query }: { readonly key: RouteKey; readonly query: GenericSchema | undefined },
  event: APIGatewayProxyEvent,
): ServiceError | undefined {
  if (!isStrict(key)) return undefined;
  const accepted = [...acceptedParameters(query), keyParameter];
  for (const [name, times] of sentParameters(event)) {
    const shown = name.slice(0, shownLengthMax);
    if (!accepted.includes(name)) {
      const [, path = ""] = key.split(" ");
      return invalidParam(
        shown,
        `Unknown query parameter '${shown}'.${didYouMean(name, accepted)} ${path} accepts: ` +
          `${accepted.join(", ")}.`,
      );
    }
    if (times > 1) return invalidParam(name, `'${name}' was sent ${times} times. Send it once.`);
  }
  return undefined;
}
