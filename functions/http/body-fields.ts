import type { GenericSchema } from "valibot";
import { assert } from "../../shared/base/assert.ts";
import { invalidParam, type ServiceError } from "../../shared/base/errors.ts";
import { didYouMean } from "../../shared/base/nearest.ts";
import type { RouteKey } from "../routes.ts";

/** Maximum number of characters of a field's name in an error. */
const shownLengthMax = 64;

interface ObjectSchema {
  readonly entries?: object;
}

/** Returns the names of the fields in a body schema; none if the route reads no body. */
function acceptedFields(schema: GenericSchema | undefined): readonly string[] {
  if (schema === undefined) return [];
  // A Valibot pipe has the properties of its first schema, such as `entries`.
  const { entries } = schema as ObjectSchema;
  assert(entries !== undefined, "a body schema must be an object with an entry for each field");
  return Object.keys(entries);
}

/**
 * Checks a body for unknown fields at its top level. Without this check, the service would ignore a
 * misspelled field, such as a limit on which the client relies.
 * @returns the error 400 INVALID_PARAM for the first such field; undefined if there is none
 */
export function bodyFieldRefusal(
  { key, schema }: { readonly key: RouteKey; readonly schema: GenericSchema | undefined },
  body: unknown,
): ServiceError | undefined {
  const accepted = acceptedFields(schema);
  const unknown = Object.keys(body ?? {}).find((name) => !accepted.includes(name));
  if (unknown === undefined) return undefined;
  const shown = unknown.slice(0, shownLengthMax);
  const accepts =
    accepted.length === 0
      ? `${key} accepts no fields in its body.`
      : `${key} accepts: ${accepted.join(", ")}.`;
  return invalidParam(
    shown,
    `Unknown field '${shown}' in the body.${didYouMean(unknown, accepted)} ${accepts}`,
  );
}
