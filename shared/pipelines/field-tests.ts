import type { FieldValue, Snapshot } from "../scrapers/catalogue.ts";
import { areEqual } from "./compare.ts";
import type { FieldTest, Route, ValueOp } from "./definition.ts";

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
    if (is === undefined) isKnown = false;
    else if (!passes[test.op](is, test)) return "unmet";
  }
  return isKnown ? "met" : "unknown";
}

const passes: Readonly<Record<ValueOp, (is: FieldValue, test: FieldTest) => boolean>> = {
  below: (is, { value }) => isAbove(value, is),
  above: (is, { value }) => isAbove(is, value),
  is: (is, { field, value }) => areEqual(field, is, value),
  is_not: (is, { field, value }) => !areEqual(field, is, value),
};

const isAbove = (one: FieldValue, other: FieldValue): boolean =>
  typeof one === "number" && typeof other === "number" && one > other;
