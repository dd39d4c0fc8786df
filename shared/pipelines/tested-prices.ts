import { type FieldValue, type Snapshot, stepScrapers } from "../scrapers/catalog.ts";
import { type DerivedPriceField, derivedPriceFields } from "../scrapers/fields.ts";
import { areEqual } from "./compare.ts";
import { isFieldReference, type Pipeline, type Step, type TestValue } from "./definition.ts";
import { derivedPrice, type PriceRead, startTrace, traceAfter } from "./price-trace.ts";
import type { RouteState, RouteStates } from "./route-state.ts";

const testedByPipeline = new WeakMap<Pipeline, readonly DerivedPriceField[]>();

/**
 * Returns the derived price fields that the routes of a pipeline test, and those with which the
 * routes compare another field.
 */
export function testedPrices(pipeline: Pipeline): readonly DerivedPriceField[] {
  const known = testedByPipeline.get(pipeline);
  if (known !== undefined) return known;
  const named = new Set<string | undefined>();
  for (const { field, value, where = [] } of pipeline.steps.flatMap(({ routes }) => routes)) {
    named.add(field).add(referredBy(value));
    for (const test of where) named.add(test.field).add(referredBy(test.value));
  }
  const tested = derivedPriceFields.filter((field) => named.has(field));
  testedByPipeline.set(pipeline, tested);
  return tested;
}

const referredBy = (value: TestValue | undefined): string | undefined =>
  isFieldReference(value) ? value.field : undefined;

/**
 * Returns true if the reads of a step contain a price, from which derived fields can be calculated.
 */
export const readsPrice = ({ scraper }: Pick<Step, "scraper">): boolean =>
  stepScrapers[scraper].testableFields.includes("price");

/**
 * Returns the price that a read observed, with the price before the read and the time of the read.
 * Returns undefined if `observed` has no price.
 * @param before last reading of the same kind
 * @param at time of the read, ISO 8601
 */
export function priceRead(
  before: Snapshot | undefined,
  observed: Snapshot,
  at: string,
): PriceRead | undefined {
  const was = before?.["price"];
  const seen = observed["price"];
  if (seen === undefined) return undefined;
  return { was, is: settlePrice(was, seen), at: Date.parse(at) };
}

/**
 * Returns `was` if the observed price differs from it by at most half a cent, otherwise the
 * observed price.
 */
const settlePrice = (was: FieldValue | undefined, seen: FieldValue): FieldValue =>
  was !== undefined && areEqual("price", was, seen) ? was : seen;

/**
 * Returns the values of the derived price fields that a pipeline tests, at the time of a read. A
 * field without a value is absent.
 * @param states states of the item before the read
 * @param read undefined if the read has no price; the result is then empty
 */
export function derivedPricesAt(
  pipeline: Pipeline,
  states: RouteStates,
  read: PriceRead | undefined,
): Snapshot {
  const values: Record<string, FieldValue> = {};
  if (read === undefined) return values;
  for (const field of testedPrices(pipeline)) {
    const trace = states[field]?.prices;
    const value = trace === undefined ? undefined : derivedPrice(field, trace, read);
    if (value !== undefined) values[field] = value;
  }
  return values;
}

/**
 * Returns the states of the derived price fields that a pipeline tests, after a read. A field
 * without a trace gets a trace only at the item's first read with a price.
 * @param states states of the item before the read
 * @param read undefined if the read has no price; the traces then stay the same
 */
export function priceStatesAfter(
  pipeline: Pipeline,
  states: RouteStates,
  read: PriceRead | undefined,
): RouteStates {
  const after: Record<string, RouteState> = {};
  for (const field of testedPrices(pipeline)) {
    const trace = states[field]?.prices;
    if (read === undefined) {
      if (trace !== undefined) after[field] = { prices: trace };
    } else if (read.was === undefined) after[field] = { prices: startTrace(field, read) };
    else if (trace !== undefined) after[field] = { prices: traceAfter(field, trace, read) };
  }
  return after;
}
