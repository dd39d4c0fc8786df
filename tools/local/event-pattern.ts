import * as v from "valibot";

const matcher = v.union([
  v.string(),
  v.number(),
  v.boolean(),
  v.null(),
  v.strictObject({ prefix: v.string() }),
]);
type Matcher = v.InferOutput<typeof matcher>;
const matchers = v.pipe(v.array(matcher), v.minLength(1));

/**
 * The part of EventBridge's event patterns that the local world supports. An object has fields by
 * name. A list has the values or prefixes that a field may have.
 */
export interface EventPattern {
  readonly [field: string]: EventPattern | readonly Matcher[];
}

/** The schema of the event patterns that the local world supports. */
export const patternSchema: v.GenericSchema<unknown, EventPattern> = v.pipe(
  v.unknown(),
  // A record schema would accept a list, with its positions as names of fields.
  v.check((value) => !Array.isArray(value)),
  v.record(
    v.string(),
    v.lazy((value): v.GenericSchema<unknown, EventPattern | Matcher[]> =>
      Array.isArray(value) ? matchers : patternSchema,
    ),
  ),
  v.check((fields) => Object.keys(fields).length > 0),
);

/**
 * Parses an EventBridge event pattern.
 * @throws Error that names the first part that the local world does not support; SyntaxError if the
 * text is not JSON
 */
export function parsePattern(text: string): EventPattern {
  const { success, output, issues } = v.safeParse(patternSchema, jsonOf(text));
  if (success) return output;
  const [issue] = issues;
  const place = v.getDotPath(issue) ?? "the pattern";
  throw new Error(
    `The local bus supports only patterns of objects, lists of values, and {"prefix": "<text>"} ` +
      `(got ${JSON.stringify(issue.input)} in ${place}). Use EventBridge for other patterns.`,
  );
}

/** The third argument of a reviver, which the types of TypeScript lack. */
const noSource: { readonly source?: string } = {};

function jsonOf(text: string): unknown {
  return JSON.parse(text, (_: string, value: unknown, { source } = noSource) => {
    // EventBridge compares the text of numbers: 1.0 in a pattern does not match 1.
    if (typeof value === "number" && source !== String(value))
      throw new Error(
        `EventBridge compares the text of numbers, so ${source} does not match ${value}. Write ${value} in the pattern.`,
      );
    return value;
  });
}

/**
 * Returns true if an event matches an event pattern. A list in the event matches if one of its
 * entries does.
 */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  if (typeof event !== "object" || event === null) return false;
  const fields = new Map<string, unknown>(Object.entries(event));
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = fields.get(field);
    const entries: readonly unknown[] = Array.isArray(value) ? value.flat(Infinity) : [value];
    return entries.some((entry) =>
      isMatchers(wanted)
        ? wanted.some((match) => matchesValue(match, entry))
        : matchesPattern(wanted, entry),
    );
  });
}

const isMatchers = (wanted: EventPattern | readonly Matcher[]): wanted is readonly Matcher[] =>
  Array.isArray(wanted);

const matchesValue = (match: Matcher, value: unknown): boolean =>
  typeof match === "object" && match !== null
    ? typeof value === "string" && value.startsWith(match.prefix)
    : match === value;
