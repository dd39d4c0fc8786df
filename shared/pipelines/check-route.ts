import { invalidParam, missingParam } from "../base/errors.ts";
import { formatValue } from "../base/shown-value.ts";
import { invalidChoiceMessage } from "../base/valid-values.ts";
import type { FieldType } from "../scrapers/fields.ts";
import { type StepScraperId, stepScrapers } from "../scrapers/catalog.ts";
import {
  type FieldTest,
  isFieldReference,
  isMetadataReference,
  type Op,
  ops,
  type Route,
  type TestValue,
  type When,
} from "./definition.ts";

/** Location of a route. */
interface Place {
  readonly scraper: StepScraperId;
  /** Path of the route in the request, such as `pipeline.steps[0].routes[1]`. */
  readonly path: string;
}

/**
 * Checks that a route has an effect, that the keys of the route can be combined, and that the
 * step's scraper reads the fields that the route tests (specification, section "Pipeline").
 * @throws 400 with `param` = the key to change
 */
export function checkRoute(route: Route, place: Place): void {
  if (route.run === undefined && route.notify !== true) {
    throw invalidParam(
      place.path,
      "This route does nothing. Set 'run' to the ID of a step, or 'notify': true.",
    );
  }
  if (route.when === "changed" || route.when === "ok") checkTest(route, place);
  else checkNoTest(route, place);
  checkKeys(route, place);
  checkDelta(route, place);
  for (const [at, test] of (route.where ?? []).entries()) {
    checkWhere(test, { ...place, path: `${place.path}.where[${at}]` });
  }
}

const limitKeys = ["where", "min_delta", "min_delta_percent", "confirm", "once"] as const;

/**
 * For each key of a route that has an effect only with some values of `when`: these values. `where`
 * needs the values of a read. An item matches `new` and `not_found` only once, so `confirm` and
 * `once` would have no effect.
 */
export const whensByKey = {
  where: ["new", "changed", "unchanged", "ok", "always"],
  min_delta: ["changed"],
  min_delta_percent: ["changed"],
  confirm: ["changed", "unchanged", "ok", "failed", "always"],
  once: ["unchanged", "ok", "failed"],
} as const satisfies Record<(typeof limitKeys)[number], readonly When[]>;

/**
 * Checks that each key of a route has an effect.
 * @throws 400 if a key has no effect with the other keys of the route
 */
function checkKeys(route: Route, { path }: Place): void {
  const { when, op, where, once, cooldown, notify } = route;
  for (const key of limitKeys) {
    const accepted: readonly When[] = whensByKey[key];
    if (route[key] === undefined || route[key] === false || accepted.includes(when)) continue;
    throw invalidParam(
      `${path}.${key}`,
      `'${key}' applies only with 'when': ${orList(accepted)}. Omit it if 'when' is '${when}'.`,
    );
  }
  if (once === true && when === "ok" && op === undefined && where === undefined) {
    throw invalidParam(
      `${path}.once`,
      "'once' applies only with a condition that can become false. Add 'field' and 'op', or 'where'.",
    );
  }
  if (cooldown !== undefined && notify !== true) {
    throw invalidParam(
      `${path}.cooldown`,
      "'cooldown' applies only with 'notify': true. Add 'notify': true, or omit 'cooldown'.",
    );
  }
}

function orList(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  return quoted.length === 1
    ? quoted.join("")
    : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

/**
 * Checks the minimum differences of a route.
 * @throws 400 if there is no numeric field to compare
 */
function checkDelta(route: Route, { scraper, path }: Place): void {
  for (const key of ["min_delta", "min_delta_percent"] as const) {
    if (route[key] === undefined) continue;
    const { field } = route;
    if (field === undefined) throw missingParam(`${path}.field`);
    const type = stepScrapers[scraper].fieldTypes[field];
    if (type !== "number") {
      throw invalidParam(
        `${path}.${key}`,
        `'${key}' compares numbers, but '${field}' is a ${type}. Omit '${key}', or choose a field with numbers.`,
      );
    }
  }
}

/**
 * Checks one test of `where`.
 * @throws 400 if the test does not fit the step's scraper
 */
function checkWhere({ field, op, value }: FieldTest, { scraper, path }: Place): void {
  const type = readType(field, { scraper, path });
  checkOp({ when: "ok", op, value, field, type }, { scraper, path });
}

/**
 * Returns the type of a field that a test of `where` names.
 * @throws 400 if a read of the scraper does not have the field
 */
function readType(field: string, { scraper, path }: Place): FieldType {
  const { fieldTypes } = stepScrapers[scraper];
  const testable = Object.keys(fieldTypes).filter((one) => whensFor(scraper, one).includes("ok"));
  const type = testable.includes(field) ? fieldTypes[field] : undefined;
  if (type === undefined) {
    throw invalidParam(
      `${path}.field`,
      invalidChoiceMessage(`'field' of a test of '${scraper}'`, testable, field),
    );
  }
  return type;
}

/**
 * Checks a route whose `when` allows no test of a field.
 * @throws 400 if the route has `field`, `op` or `value`
 */
function checkNoTest({ when, ...route }: Route, { path }: Place): void {
  for (const key of ["field", "op", "value"] as const) {
    if (route[key] !== undefined) {
      throw invalidParam(
        `${path}.${key}`,
        `'${key}' applies only if 'when' is 'changed' or 'ok' (got '${when}'). Omit '${key}', or change 'when'.`,
      );
    }
  }
}

/**
 * Checks the test of a route whose `when` is `changed` or `ok`.
 * @throws 400 if it is invalid
 */
function checkTest({ when, field, op, value }: Route, place: Place): void {
  const { path } = place;
  if (op === undefined) {
    if (value !== undefined) {
      throw invalidParam(
        `${path}.value`,
        "'value' applies only with 'op'. Add 'op' (below, above, is or is_not), or omit 'value'.",
      );
    }
    if (when === "ok" && field !== undefined) throw missingParam(`${path}.op`);
  }
  if (field === undefined) {
    if (op !== undefined) throw missingParam(`${path}.field`);
    return;
  }
  const type = typeOf(when, field, place);
  if (op !== undefined) checkOp({ when, op, value, field, type }, place);
}

/**
 * Returns the values of `when` with which a route can test a field of a scraper. Returns an empty
 * array if reads of the scraper do not have the field, or if no route can test it.
 */
export function whensFor(scraper: StepScraperId, field: string): readonly When[] {
  const { testableFields, derivedFields } = stepScrapers[scraper];
  if (testableFields.includes(field)) return ["changed", "ok"];
  return derivedFields.includes(field) ? ["ok"] : [];
}

/**
 * For each `op`, whether it applies only to numbers, and with what it compares the field: with the
 * last known value (`last read`), or with `value` of the test.
 */
const opRules: Readonly<
  Record<Op, { readonly numbersOnly: boolean; readonly against: "last read" | "value" }>
> = {
  increased: { numbersOnly: true, against: "last read" },
  decreased: { numbersOnly: true, against: "last read" },
  below: { numbersOnly: true, against: "value" },
  above: { numbersOnly: true, against: "value" },
  is: { numbersOnly: false, against: "value" },
  is_not: { numbersOnly: false, against: "value" },
};

/**
 * Returns the values of `op` that can test a field of this type.
 * @param whens the values of `when` with which a route can test the field (see `whensFor`)
 */
export const opsFor = (type: FieldType, whens: readonly When[]): readonly Op[] =>
  ops.filter((op) => {
    const { numbersOnly, against } = opRules[op];
    return (
      (type === "number" || !numbersOnly) &&
      whens.some((when) => when === "changed" || against === "value")
    );
  });

/**
 * Returns the type of the field that a route tests.
 * @throws 400 if a route with this `when` cannot test the field
 */
function typeOf(when: When, field: string, { scraper, path }: Place): FieldType {
  const { fieldTypes } = stepScrapers[scraper];
  const whens = whensFor(scraper, field);
  if (whens.length > 0 && !whens.includes(when)) {
    throw invalidParam(
      `${path}.field`,
      `'${field}' has no earlier value to compare with. Test it with 'when': 'ok'.`,
    );
  }
  const type = whens.length === 0 ? undefined : fieldTypes[field];
  if (type === undefined) {
    const testable = Object.keys(fieldTypes).filter((one) => whensFor(scraper, one).includes(when));
    throw invalidParam(
      `${path}.field`,
      invalidChoiceMessage(
        `'field' of a route with 'when': '${when}' on '${scraper}'`,
        testable,
        field,
      ),
    );
  }
  return type;
}

interface Test {
  readonly when: When;
  readonly op: Op;
  readonly value: Route["value"];
  readonly field: string;
  readonly type: FieldType;
}

/**
 * Checks that an operator fits the type of the field and of the value.
 * @throws 400 if it does not fit
 */
function checkOp({ when, op, value, field, type }: Test, place: Place): void {
  const { path } = place;
  const { numbersOnly, against } = opRules[op];
  if (against === "last read" && when !== "changed") {
    throw invalidParam(
      `${path}.op`,
      `'${op}' compares with the last known value, so it applies only with 'when': 'changed'. Change 'when' or 'op'.`,
    );
  }
  if (numbersOnly && type !== "number") {
    throw invalidParam(
      `${path}.op`,
      `'${op}' compares numbers, but '${field}' is a ${type}. Use 'is' or 'is_not'.`,
    );
  }
  if (against === "last read") {
    if (value === undefined) return;
    throw invalidParam(
      `${path}.value`,
      `'${op}' compares with the last known value. Omit 'value', or use 'below' or 'above'.`,
    );
  }
  if (value === undefined) throw missingParam(`${path}.value`);
  // The type of a metadata value is known only at the read. A value of another type never matches.
  if (isMetadataReference(value)) return;
  if (typeOfValue(value, { ...place, path: `${path}.value` }) !== type) {
    throw invalidParam(
      `${path}.value`,
      `'value' must be a ${type}, the type of '${field}' (got ${formatValue(value)}).`,
    );
  }
}

/**
 * Returns the type of a value, or of the field to which it refers.
 * @throws 400 if reads of the scraper do not have this field
 */
const typeOfValue = (value: TestValue, place: Place): string =>
  isFieldReference(value) ? readType(value.field, place) : typeof value;
