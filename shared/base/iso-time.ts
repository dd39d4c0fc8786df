import * as v from "valibot";
import { addRefusedValue } from "./shown-value.ts";

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns true for an ISO 8601 date and time with a zone on an existing calendar day. Seconds are
 * optional, with up to nine decimal places.
 */
export const isIsoTime = (text: string): boolean =>
  form.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));

/**
 * Creates the schema of a query parameter with a time. The parameter must be a string that
 * `isIsoTime` accepts. The parsed value is the unchanged string.
 */
export function isoTimeParam(name: string) {
  const refusal = addRefusedValue(
    `'${name}' must be an ISO 8601 time with a zone, such as 2026-11-20T10:00:00Z.`,
  );
  const message = (issue: { readonly input: unknown }): string =>
    refusal(issue) + plusHint(issue.input);
  return v.pipe(
    v.string(message),
    v.check(isIsoTime, message),
    v.metadata({ format: "date-time" }),
  );
}

/**
 * Returns a hint for the error message if the text would be valid with a `+` instead of its first
 * space; otherwise an empty string. In the query of a URL, a `+` is decoded to a space.
 */
const plusHint = (input: unknown): string =>
  typeof input === "string" && isIsoTime(input.replace(" ", "+"))
    ? " Encode '+' as %2B in a URL."
    : "";

/** Returns true if the day exists. `Date` alone would convert February 30 to a day in March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
