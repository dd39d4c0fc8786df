import * as v from "valibot";
import { type IdKind, idPattern } from "./ids.ts";

/** A query parameter that is an ID of a kind; whether anything has that ID is not checked. */
export const idParam = (
  kind: IdKind,
  { message, description }: { readonly message: string; readonly description: string },
) =>
  v.optional(
    v.pipe(v.string(message), v.regex(idPattern(kind), message), v.description(description)),
  );
