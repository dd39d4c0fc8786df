import * as v from "valibot";
import { type IdKind, idPattern } from "./ids.ts";

/**
 * Schema of an optional query parameter that is an ID. Checks the format, not whether the ID
 * exists.
 */
export const idParam = (
  kind: IdKind,
  { message, description }: { readonly message: string; readonly description: string },
) =>
  v.optional(
    v.pipe(v.string(message), v.regex(idPattern(kind), message), v.description(description)),
  );
