import * as v from "valibot";

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** True for an ISO 8601 time with a zone, of a day that exists. */
export const isIsoTime = (text: string): boolean =>
  form.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));

/** Schema of a query parameter that is an ISO 8601 time with a zone. */
export function isoTimeParam(name: string) {
  const message = `'${name}' must be an ISO 8601 time with a zone, such as 2026-11-20T10:00:00Z.`;
  return v.pipe(
    v.string(message),
    v.check(isIsoTime, message),
    v.metadata({ format: "date-time" }),
  );
}

/** False for days such as February 30, which `Date` converts to a day of the next month. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
