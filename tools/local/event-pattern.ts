import * as v from "valibot";

const matcher = v.union([
  v.string(),
  v.number(),
  v.boolean(),
  v.null(),
  v.strictObject({ prefix: v.string() }),
]);
type Matcher = v.InferOutput<typeof matcher>;

/**
 * The part of EventBridge's event patterns that the local world supports. An object names fields,
 * and a list contains the values or prefixes that a field may have.
 */
export interface EventPattern {
  readonly [field: string]: EventPattern | readonly Matcher[];
}

export const patternSchema: v.GenericSchema<EventPattern> = v.record(
  v.string(),
  v.union([v.pipe(v.array(matcher), v.minLength(1)), v.lazy(() => patternSchema)]),
);

/** Parses a pattern. Null if it is not JSON, or uses what the local world does not support. */
export function parsePattern(text: string): EventPattern | null {
  try {
    return v.parse(patternSchema, JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns true if an event matches a pattern. A list in the event matches by any of its values. */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  if (typeof event !== "object" || event === null) return false;
  const fields = new Map<string, unknown>(Object.entries(event));
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = fields.get(field);
    if (!isMatchers(wanted)) return matchesPattern(wanted, value);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.some((one) => wanted.some((match) => matchesValue(match, one)));
  });
}

const isMatchers = (wanted: EventPattern | readonly Matcher[]): wanted is readonly Matcher[] =>
  Array.isArray(wanted);

const matchesValue = (match: Matcher, value: unknown): boolean =>
  typeof match === "object" && match !== null
    ? typeof value === "string" && value.startsWith(match.prefix)
    : match === value;
