import type { GenericSchema } from "valibot";
import { assert } from "../../shared/base/assert.ts";
import { invalidParam, type ServiceError } from "../../shared/base/errors.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import type { RouteKey } from "../routes.ts";

/** The parameter for the API key, which every route accepts for clients that cannot set headers. */
const keyParameter = "api_key";
/** Maximum number of characters of a parameter's name in an error. */
const shownLengthMax = 64;

/**
 * Returns true if an unknown query parameter is an error. Returns false for pages, because links
 * may add parameters such as the name of a campaign. Also returns false for retired and unknown
 * paths, which always return 410 or 404.
 */
const isStrict = (key: RouteKey): boolean => !key.startsWith("ANY ") && key.includes(" /v1/");

/** Returns the names of the query parameters in a route's schema. */
function acceptedParameters(schema: GenericSchema | undefined): readonly string[] {
  if (schema === undefined) return [];
  const { entries } = schema as { readonly entries?: object };
  assert(
    entries !== undefined,
    "a query schema must be an object with an entry for each parameter",
  );
  return Object.keys(entries);
}

/**
 * Checks a query for unknown and repeated parameters. Without this check, the service would ignore
 * a misspelled parameter and use its default. Does not check the queries of pages and of retired or
 * unknown paths.
 * @param counts number of values of each parameter of the call
 * @returns the error 400 INVALID_PARAM for the first such parameter; undefined if there is none
 */
export function queryRefusal(
  { key, query }: { readonly key: RouteKey; readonly query: GenericSchema | undefined },
  counts: ReadonlyMap<string, number>,
): ServiceError | undefined {
  if (!isStrict(key)) return undefined;
  const accepted = [...acceptedParameters(query), keyParameter];
  for (const [name, times] of counts) {
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
