/**
 * Parses JSON of a source with a schema of the service. Like `foreign-value.ts`, omits invalid
 * optional values, and fields that the schema does not define.
 */
import * as v from "valibot";
import { isOfferListingId } from "../../scrapers/offer.ts";
import { foreignAmount, foreignFlag, foreignText, foreignUrl } from "../contract/foreign-value.ts";
import { plainLine } from "../contract/html-text.ts";

/** Maximum number of entries of an array. Later entries are ignored. */
const listLengthMax = 1_000;
const lineLengthMax = 1_000;

const day = v.fallback(v.optional(v.pipe(v.string(), v.trim(), v.isoDate())), undefined);
/** An ID of the source. It is never truncated, because the service sends it back unchanged. */
const key = v.fallback(v.optional(v.pipe(v.string(), v.check(isOfferListingId))), undefined);

const withoutControls = (value: unknown): unknown =>
  typeof value === "string" ? plainLine(value) : value;

const text = v.pipe(v.unknown(), v.transform(withoutControls), foreignText);

/** A string that may be empty, for a field such as `message` that only supplements other fields. */
const line = v.fallback(
  v.optional(
    v.pipe(
      v.string(),
      v.transform((words) => plainLine(words).slice(0, lineLengthMax)),
    ),
  ),
  undefined,
);

type Leaf = v.GenericSchema<unknown, string | number | boolean | undefined>;

/** The schemas of text fields with a special format, by name. */
const textForms: ReadonlyMap<string, Leaf> = new Map<string, Leaf>([
  ["url", foreignUrl],
  ["images", foreignUrl],
  ["message", line],
  ["date", day],
  ["latestDate", day],
  ["offerListingId", key],
  ["offerId", key],
  ["id", key],
]);

/**
 * Returns the part of a value that fits a schema; undefined if the value itself is invalid. Omits
 * invalid optional fields of an object, and the entries of an array after the first 1,000. An
 * object is invalid if a required field is missing or invalid. An array is invalid if one of its
 * entries is invalid.
 * @param name name of the field that contains the value; the fields in `textForms`, such as `url`,
 * `date` and `id`, have special rules for text
 */
export function readShape(schema: v.GenericSchema, value: unknown, name = ""): unknown {
  if (isOptional(schema))
    return value === undefined ? undefined : readShape(schema.wrapped, value, name);
  if (isNullable(schema)) return value === null ? null : readShape(schema.wrapped, value, name);
  if (isObject(schema)) return readObject(schema, value);
  if (isArray(schema)) return readList(schema, value, name);
  const read = v.parse(leafFor(schema, name), value);
  // The parsed value must also meet the constraints of the schema. For example, a count must be an
  // integer.
  return v.is(schema, read) ? read : undefined;
}

/** Returns the valid fields of an object; undefined if a required field is missing or invalid. */
function readObject(
  { entries }: v.ObjectSchema<v.ObjectEntries, undefined>,
  value: unknown,
): unknown {
  if (!isRecord(value)) return undefined;
  const shape: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(entries)) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    const read = readShape(schema, own, name);
    if (read !== undefined) shape[name] = read;
    else if (!isOptional(schema)) return undefined;
  }
  return shape;
}

/** Returns the first 1,000 entries of an array; undefined if one of them is invalid. */
function readList(
  { item }: v.ArraySchema<v.GenericSchema, undefined>,
  value: unknown,
  name: string,
): unknown {
  if (!Array.isArray(value)) return undefined;
  const entries = value.slice(0, listLengthMax).map((entry) => readShape(item, entry, name));
  return entries.includes(undefined) ? undefined : entries;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the tolerant schema for a value that is neither an object nor an array. */
function leafFor(schema: v.GenericSchema, name: string): Leaf {
  if (schema.type === "number") return foreignAmount;
  return schema.type === "boolean" ? foreignFlag : (textForms.get(name) ?? text);
}

const isOptional = (
  schema: v.GenericSchema,
): schema is v.OptionalSchema<v.GenericSchema, undefined> => schema.type === "optional";
const isNullable = (
  schema: v.GenericSchema,
): schema is v.NullableSchema<v.GenericSchema, undefined> => schema.type === "nullable";
const isObject = (schema: v.GenericSchema): schema is v.ObjectSchema<v.ObjectEntries, undefined> =>
  schema.type === "object";
const isArray = (schema: v.GenericSchema): schema is v.ArraySchema<v.GenericSchema, undefined> =>
  schema.type === "array";
