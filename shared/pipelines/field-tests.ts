import type { FieldValue, Snapshot } from "../scrapers/catalogue.ts";
import { areEqual } from "./compare.ts";
import {
  type FieldTest,
  isFieldReference,
  type Route,
  type TestValue,
  type ValueOp,
} from "./definition.ts";

/** Whether a read meets a condition. `unknown`: it lacks a field that the condition tests. */
export type Verdict = "met" | "unmet" | "unknown";

/** The tests of a route that compare with a `value`. */
export const testsOf = ({ field, op, value, where = [] }: Route): readonly FieldTest[] =>
  field === undefined || op === undefined || op === "increased" || op === "decreased"
    ? where
    : [{ field, op, value: value ?? "" }, ...where];

/**
 * Evaluates tests on the values of a read: `met` if all pass, `unmet` if one fails. Null passes no
 * comparison of numbers.
 */
export function verdictOf(tests: readonly FieldTest[], values: Snapshot): Verdict {
  let isKnown = true;
  for (const test of tests) {
    const is = values[test.field];
    const other = valueOf(test.value, values);
    if (is === undefined || other === undefined) isKnown = false;
    else if (!passes[test.op](is, other, test.field)) return "unmet";
  }
  return isKnown ? "met" : "unknown";
}

/** What a test compares with; undefined if the read lacks the field that the test names. */
const valueOf = (value: TestValue, values: Snapshot): FieldValue | undefined =>
  isFieldReference(value) ? values[value.field] : value;

type Comparison = (is: FieldValue, value: FieldValue, field: string) => boolean;

const passes: Readonly<Record<ValueOp, Comparison>> = {
  below: (is, value) => isAbove(value, is),
  above: (is, value) => isAbove(is, value),
  is: (is, value, field) => areEqual(field, is, value),
  is_not: (is, value, field) => !areEqual(field, is, value),
};

const isAbove = (one: FieldValue, other: FieldValue): boolean =>
  typeof one === "number" && typeof other === "number" && one > other;
