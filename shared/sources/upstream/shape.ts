/**
 * Reads foreign JSON by a schema of the service's own: tolerantly, as `foreign-value.ts` does, and
 * with nothing in the result that the schema does not name.
 */
import * as v from "valibot";
import { isOfferListingId } from "../../scrapers/offer.ts";
import { foreignAmount, foreignFlag, foreignText, foreignUrl } from "../contract/foreign-value.ts";
import { plainLine } from "../contract/html-text.ts";

/** Entries of one list beyond which the rest is not read. */
const listLengthMax = 1_000;
const lineLengthMax = 1_000;

const day = v.fallback(v.optional(v.pipe(v.string(), v.trim(), v.isoDate())), undefined);
/** A text that is sent back as it came, so that it is taken whole or not at all. */
const key = v.fallback(v.optional(v.pipe(v.string(), v.check(isOfferListingId))), undefined);

const withoutControls = (value: unknown): unknown =>
  typeof value === "string" ? plainLine(value) : value;

const text = v.pipe(v.unknown(), v.transform(withoutControls), foreignText);

/** A line that may be empty, as it says less than what stands beside it. */
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

/** Texts of a form of their own, by the name of their field. */
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
 * The value as the schema has it; undefined where there is nothing that fits. In an object, what
 * does not fit is left out; if the schema does not let it be left out, the object does not fit. In
 * a list, every entry must fit.
 */
export function readShape(schema: v.GenericSchema, value: unknown, name = ""): unknown {
  if (isOptional(schema))
    return value === undefined ? undefined : readShape(schema.wrapped, value, name);
  if (isNullable(schema)) return value === null ? null : readShape(schema.wrapped, value, name);
  if (isObject(schema)) return readObject(schema, value);
  if (isArray(schema)) return readList(schema, value, name);
  const read = v.parse(leafFor(schema, name), value);
  // The schema's own bounds hold for what was read: a count is whole, whatever it was sent as.
  return v.is(schema, read) ? read : undefined;
}

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
