/**
 * Detects that the shape of a source's answers has changed: fields are missing, or prices changed
 * by the same factor. Pure and deterministic.
 */
import { limits } from "../base/limits.ts";
import type { ObservedChanges } from "../history/history.ts";
import { readingKind, type Step } from "../pipelines/definition.ts";
import type { FieldValue, ReadingKind, Snapshot } from "../scrapers/catalog.ts";
import type { Item } from "../watchlists/item.ts";
import { type ComparedItems, countComparedItems } from "./compared-items.ts";
import type { StepAnswer } from "./read-step.ts";
import type { BatchShape } from "./batch.ts";
import type { Run, ShapeChange } from "./run.ts";

/** A field can count as lost only if at least this share (0 to 1) of the compared items had it. */
const presentShareMin = 0.95;
/**
 * A field counts as lost if at least this share (0 to 1) of the items that had the field lack it
 * now. Answers count as incomplete if at least this share of the complete ones became incomplete.
 */
const lostShareMin = 0.8;
/** Minimum factor of a price jump: a price at least triples, or falls to at most a third. */
const factorMin = 3;
/**
 * Minimum share of the compared items whose prices must change by the same factor to count as a
 * jump.
 */
const jumpedShareMin = 0.1;
/**
 * Largest ratio of two factors that count as equal. Rounding to cents changes the factor of a low
 * price. For example, a hundredth of 3.40 is stored as 0.03 and not as 0.034, a difference of 12%.
 */
const sameFactorRatioMax = 1.15;

/** Fields with a selling price, by precedence. The first of these fields in a read is compared. */
const sellingPrices = ["price", "newMinPrice", "buyboxPrice", "lowestPrice"] as const;

interface ComparedBatch {
  /** Items by ID as they were before the step. */
  readonly items: ReadonlyMap<string, Item>;
  readonly answers: readonly StepAnswer[];
}

/**
 * Compares the shape of a batch's answers with the earlier readings of its items. For each field,
 * counts the items whose earlier reading had a value, and how many of these items have no value in
 * the new answer, because the field is absent or null. Also counts the answers that became
 * incomplete. Returns undefined if no answer was compared or became incomplete.
 */
export function batchShape(step: Step, { items, answers }: ComparedBatch): BatchShape | undefined {
  const kind = readingKind(step);
  const fields: Record<string, [had: number, lost: number]> = {};
  let compared = 0;
  let incomplete = 0;
  for (const { id, status, observed } of answers) {
    const item = items.get(id);
    const before = item?.readings[kind];
    if (item === undefined || item.state === "delisted" || before === undefined) continue;
    // If the earlier answer of an item was incomplete, the run of that answer has already counted
    // the item.
    if (status === "partial" && item.lastReadStatus === "ok") incomplete += 1;
    if (observed === null) continue;
    compared += 1;
    countFields(fields, before, observed);
  }
  return compared + incomplete === 0 ? undefined : { compared, incomplete, fields };
}

/** Adds one compared item to the counts of its fields. */
function countFields(
  fields: Record<string, [had: number, lost: number]>,
  before: Snapshot,
  observed: Snapshot,
): void {
  for (const field in before) {
    if (!hasValue(before[field])) continue;
    const counts = (fields[field] ??= [0, 0]);
    counts[0] += 1;
    if (!hasValue(observed[field])) counts[1] += 1;
  }
}

const hasValue = (value: FieldValue | undefined): boolean => value !== undefined && value !== null;

/** The sums over all batches of a run from which its `ShapeChange` is derived. */
interface ShapeTotals {
  readonly items: ComparedItems;
  /** For each kind of reading, the sum of the shapes of its batches. */
  readonly shapes: ReadonlyMap<ReadingKind, BatchShape>;
  /** By item ID: the factor of the first change of the selling price. Other items are absent. */
  readonly factors: ReadonlyMap<string, number>;
}

/**
 * Returns how the shape of a run's answers (fields and magnitude of prices) differs from the shape
 * of earlier answers. Returns undefined if the shapes do not differ, and for a baseline run, which
 * has no earlier answers.
 */
export function shapeChangeOf(run: Run, totals: ShapeTotals): ShapeChange | undefined {
  if (run.kind === "baseline") return undefined;
  const known = run.missingFields ?? [];
  const { shapes } = totals;
  const missing = [...shapes].flatMap(([kind, shape]) =>
    missingIn(shape).map((field) => `${kind}.${field}`),
  );
  const lostFields = missing.filter((field) => !known.includes(field));
  // A field stays missing until a run has compared enough items by the same kind of reading.
  const uncompared = known.filter((field) => !isCompared(shapes, field));
  const missingFields = [...new Set([...uncompared, ...missing])].toSorted();
  const incompleteItems = Math.max(0, ...[...shapes.values()].map(incompleteIn));
  const priceJump = priceJumpIn(run, totals);
  const isNews = priceJump !== undefined || lostFields.length > 0 || incompleteItems > 0;
  if (!isNews && missingFields.length === known.length) return undefined;
  return {
    ...(priceJump !== undefined && { priceJump }),
    ...(lostFields.length > 0 && { lostFields: lostFields.toSorted() }),
    ...(incompleteItems > 0 && { incompleteItems }),
    missingFields,
  };
}

/**
 * Returns true if a change of the shape must raise an alarm for operators: prices jumped, fields
 * were lost, or answers are incomplete.
 */
export const isAlarming = ({ priceJump, lostFields, incompleteItems }: ShapeChange): boolean =>
  [priceJump, lostFields, incompleteItems].some((foundChange) => foundChange !== undefined);

/**
 * Returns true if a brake must hold the run's events, because prices jumped or fields were lost, so
 * that values of the run may be wrong. Incomplete answers alone are no reason: they cause no
 * events, and the next run reads their items again.
 */
export const holdsEvents = ({ priceJump, lostFields }: ShapeChange): boolean =>
  priceJump !== undefined || lostFields !== undefined;

/**
 * Returns the names of the missing fields, such as `standard.price`, that the end of a run or the
 * release of a held run stores in the watchlist. A brake does not hold later runs because of these
 * fields. Returns undefined if nothing is to be stored: the shape did not change, or the run is
 * held or was discarded. After a discard, a field that is still missing therefore causes the brake
 * to hold the next run too.
 */
export const missingFieldsToStore = ({
  hold,
  shape,
}: Pick<Run, "hold" | "shape">): readonly string[] | undefined =>
  hold === undefined || hold.status === "released" ? shape?.missingFields : undefined;

/** Adds the shapes of two batches, field by field. */
export function addShapes(one: BatchShape, other: BatchShape): BatchShape {
  const fields: Record<string, readonly [had: number, lost: number]> = { ...one.fields };
  for (const [field, [had, lost]] of Object.entries(other.fields)) {
    const [hadBefore, lostBefore] = fields[field] ?? [0, 0];
    fields[field] = [hadBefore + had, lostBefore + lost];
  }
  return {
    compared: one.compared + other.compared,
    incomplete: one.incomplete + other.incomplete,
    fields,
  };
}

/** Returns the fields that nearly all compared items had before the run and that few have now. */
const missingIn = ({ compared, fields }: BatchShape): readonly string[] =>
  Object.entries(fields)
    .filter(
      ([, [had, lost]]) =>
        had >= limits.shapeItemsMin &&
        had >= presentShareMin * compared &&
        lost >= lostShareMin * had,
    )
    .map(([field]) => field);

/** Returns the number of answers that became incomplete; 0 if they are few. */
function incompleteIn({ compared, incomplete }: BatchShape): number {
  const isMost = incomplete >= lostShareMin * (compared + incomplete);
  return isMost && incomplete >= limits.shapeItemsMin ? incomplete : 0;
}

/**
 * Returns true if the run compared enough items by the kind of reading that `field` names.
 * @param field kind of reading and field, such as `standard.price`
 */
function isCompared(shapes: ReadonlyMap<string, BatchShape>, field: string): boolean {
  const shape = shapes.get(field.slice(0, field.indexOf(".")));
  return shape !== undefined && shape.compared >= limits.shapeItemsMin;
}

/**
 * Finds a price jump: the prices of at least a tenth of the compared items changed by the same
 * factor, which is far from 1. Returns undefined if there is none.
 */
function priceJumpIn(run: Run, { factors, items: read }: ShapeTotals): ShapeChange["priceJump"] {
  const far = [...factors.values()].filter(isFar).toSorted((a, b) => a - b);
  const same = largestCluster(far);
  const items = same.length;
  if (items < limits.shapeItemsMin) return undefined;
  if (items < jumpedShareMin * countComparedItems(run, read)) return undefined;
  const factor = same[Math.floor(items / 2)] ?? 1;
  return { factor: Number(factor.toPrecision(3)), items };
}

const isFar = (factor: number): boolean => factor >= factorMin || factor <= 1 / factorMin;

/**
 * Returns the largest group of factors that count as equal.
 * @param factors ascending
 */
function largestCluster(factors: readonly number[]): readonly number[] {
  let largest = { from: 0, to: 0 };
  let from = 0;
  for (const [n, factor] of factors.entries()) {
    while (factor > (factors[from] ?? factor) * sameFactorRatioMax) from += 1;
    if (n + 1 - from > largest.to - largest.from) largest = { from, to: n + 1 };
  }
  return factors.slice(largest.from, largest.to);
}

/**
 * Returns the factor by which the selling price changed; undefined if it did not change or is
 * unknown.
 */
export function factorOf(values: ObservedChanges): number | undefined {
  for (const field of sellingPrices) {
    const change = values[field];
    if (change === undefined) continue;
    const { before, after } = change;
    const arePrices = typeof before === "number" && typeof after === "number";
    return arePrices && before > 0 && after > 0 ? after / before : undefined;
  }
  return undefined;
}
