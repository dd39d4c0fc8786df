import type { FieldValue, Snapshot } from "../scrapers/catalog.ts";
import { typeOfField } from "../scrapers/fields.ts";
import { areEqual } from "./compare.ts";
import {
  type FieldTest,
  isFieldReference,
  isMetadataReference,
  type Metadata,
  type Route,
  type ValueOp,
} from "./definition.ts";

/** The values of an item that the tests of a route compare. */
export interface TestedItem {
  /** The fields of the read and the derived fields. */
  readonly values: Snapshot;
  /** Metadata of the item. @default none */
  readonly metadata?: Metadata;
}

/**
 * The result of the tests of a condition on a read. `unknown`: the read does not show whether the
 * condition is met, for example because it lacks a tested field.
 */
export type Verdict = "met" | "unmet" | "unknown";

/**
 * Returns all tests of a route: the test in the route itself, if that test compares with `value`,
 * and the tests in `where`.
 */
const testsOf = ({ field, op, value, where = [] }: Route): readonly FieldTest[] =>
  field === undefined || op === undefined || op === "increased" || op === "decreased"
    ? where
    : [{ field, op, value: value ?? "" }, ...where];

/**
 * Evaluates the tests of a route on the values of a read. Returns `unmet` if one test fails,
 * otherwise `unknown` if the read lacks a tested field, otherwise `met`.
 * - A test with `below` or `above` fails if one of the two values is null. Exception: with `once`,
 *   its result is `unknown`, because the price of a sold-out item may still meet the condition.
 * - A test fails, even with `is_not`, if it compares with metadata that the item lacks, or that has
 *   another type than the field.
 */
export function verdictOf(route: Route, { values, metadata = {} }: TestedItem): Verdict {
  let isKnown = true;
  for (const test of testsOf(route)) {
    const verdict = verdictOfTest(test, { values, metadata }, route.once === true);
    if (verdict === "unmet") return "unmet";
    if (verdict === "unknown") isKnown = false;
  }
  return isKnown ? "met" : "unknown";
}

/**
 * Returns the result of one test.
 * @param skipsNull true if `below` and `above` of a null value have the result `unknown`
 */
function verdictOfTest(test: FieldTest, item: Required<TestedItem>, skipsNull: boolean): Verdict {
  const { field, op, value } = test;
  const is = item.values[field];
  const isMissing = isFieldReference(value) && item.values[value.field] === undefined;
  if (is === undefined || isMissing) return "unknown";
  const wanted = wantedValue(test, item);
  if (wanted === undefined) return "unmet";
  const isGap = (is === null || wanted === null) && isOrder(op);
  if (skipsNull && isGap) return "unknown";
  return passes[op](is, { field, wanted }) ? "met" : "unmet";
}

const isOrder = (op: FieldTest["op"]): boolean => op === "below" || op === "above";

/**
 * Returns the value with which a test compares a field: the value of the test itself, of another
 * field, or of a metadata key. Returns undefined if the item lacks this field or key, or if the
 * metadata has another type than the tested field.
 */
function wantedValue(
  { field, value }: FieldTest,
  { values, metadata }: Required<TestedItem>,
): FieldValue | undefined {
  if (isFieldReference(value)) return values[value.field];
  if (!isMetadataReference(value)) return value;
  const given = Object.hasOwn(metadata, value.metadata) ? metadata[value.metadata] : undefined;
  return typeof given === typeOfField(field) ? given : undefined;
}

interface Compared {
  readonly field: string;
  readonly wanted: FieldValue;
}

const passes: Readonly<Record<ValueOp, (is: FieldValue, compared: Compared) => boolean>> = {
  below: (is, { wanted }) => isAbove(wanted, is),
  above: (is, { wanted }) => isAbove(is, wanted),
  is: (is, { field, wanted }) => areEqual(field, is, wanted),
  is_not: (is, { field, wanted }) => !areEqual(field, is, wanted),
};

const isAbove = (one: FieldValue, other: FieldValue): boolean =>
  typeof one === "number" && typeof other === "number" && one > other;
