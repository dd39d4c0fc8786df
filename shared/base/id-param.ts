import * as v from "valibot";
import { type IdKind, idPattern } from "./ids.ts";
import { addRefusedValue } from "./shown-value.ts";

/**
 * Creates the schema of an optional query parameter that is an ID of this kind. Checks the format,
 * not whether the ID exists. The parsed value is the unchanged ID, or undefined if the parameter is
 * absent.
 * @param message error message, to which the schema adds the rejected value
 * @param description description in the OpenAPI document
 */
export function idParam(
  kind: IdKind,
  { message, description }: { readonly message: string; readonly description: string },
) {
  const invalid = addRefusedValue(message);
  return v.optional(
    v.pipe(v.string(invalid), v.regex(idPattern(kind), invalid), v.description(description)),
  );
}
