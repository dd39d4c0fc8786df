import type { FieldValue, Snapshot } from "../scrapers/catalogue.ts";
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

/** What the tests of a route compare. */
export interface TestedItem {
  /** The values of the read with the derived fields. */
  readonly values: Snapshot;
  /** Metadata of the item. @default none */
  readonly metadata?: Metadata;
}

/** Whether a read meets a condition. `unknown`: it lacks a field that the condition tests. */
export type Verdict = "met" | "unmet" | "unknown";

/** The tests of a route that compare with a `value`. */
export const testsOf = ({ field, op, value, where = [] }: Route): readonly FieldTest[] =>
  field === undefined || op === undefined || op === "increased" || op === "decreased"
    ? where
    : [{ field, op, value: value ?? "" }, ...where];

/**
 * Evaluates tests on the values of a read: `met` if all pass, `unmet` if one fails. Null passes no
 * comparison of numbers. If the item lacks the metadata that a test names, or the metadata is not of
 * the field's type, the test fails, also with `is_not`.
 */
export function verdictOf(
  tests: readonly FieldTest[],
  { values, metadata = {} }: TestedItem,
): Verdict {
  let isKnown = true;
  for (const test of tests) {
    const { field, op, value } = test;
    const is = values[field];
    const wanted = wantedValue(test, { values, metadata });
    const isMissing = isFieldReference(value) && values[value.field] === undefined;
    if (is === undefined || isMissing) isKnown = false;
    else if (wanted === undefined || !passes[op](is, { field, wanted })) return "unmet";
  }
  return isKnown ? "met" : "unknown";
}

/** The value to compare a field with. Undefined if it is metadata or a field that the item lacks. */
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
