/** Parts of response schemas that several domains share. */
import * as v from "valibot";

/** Schema of a time in a response: ISO 8601 UTC. */
export const timestamp = v.pipe(v.string(), v.isoTimestamp());

/** Schema of a count in a response: an integer of at least 0. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Creates the schema of a list response, whose `data` is an array of `entry` (specification,
 * section "Endpoints").
 */
export const listOf = <Entry extends v.GenericSchema>(entry: Entry) =>
  v.object({
    object: v.literal("list"),
    data: v.array(entry),
    has_more: v.pipe(v.boolean(), v.description("True if there are entries after this page.")),
  });

/** Schema of the body of every error response (specification, section "Errors"). */
export const errorSchema = v.object({
  error: v.object({
    code: v.pipe(v.string(), v.description("Stable code of the error. Use it in programs.")),
    message: v.pipe(v.string(), v.description("Explanation for people. Its wording can change.")),
    param: v.optional(v.pipe(v.string(), v.description("The invalid parameter."))),
    docs: v.pipe(v.string(), v.description("Relative link to the documentation of the code.")),
  }),
  coming_soon: v.optional(
    v.pipe(v.boolean(), v.description("True for 501: announced, not available yet.")),
  ),
});
