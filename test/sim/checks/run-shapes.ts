import assert from "node:assert/strict";
import { readingKind, stepOf } from "../../../shared/pipelines/definition.ts";
import type { Run, ShapeChange } from "../../../shared/runs/run.ts";
import { shapeItemsMin } from "../small-bounds.ts";
import type { Records, RunRecords } from "../scenarios/runs-records.ts";
import type { World } from "../world.ts";

const prices = ["price", "newMinPrice", "buyboxPrice", "lowestPrice"];

/**
 * Checks the shape of the answers of each run, and that a watchlist stores which fields are
 * missing (invariants B5 and B6).
 * @param reached counts each rare state that a run reached
 * @throws Error if a check fails
 */
export function checkShapes(records: Records, reached: World["reached"]): void {
  let known: readonly string[] = [];
  for (const record of records) {
    if (isCompared(record.run)) known = checkShape(record, known, reached);
  }
}

/**
 * Returns true if a run has compared its answers. A run that is in progress, or that could not be
 * finalized, has not compared them.
 */
const isCompared = ({ finishedAt, watchlist, runNumber }: Run): boolean =>
  finishedAt !== null && watchlist !== null && runNumber > 1;

/**
 * Checks one run. Returns the fields that must be stored as missing after the run.
 * @param known the fields that were stored as missing before the run
 * @throws AssertionError if a check fails
 */
function checkShape(
  record: RunRecords,
  known: readonly string[],
  reached: World["reached"],
): readonly string[] {
  const { run } = record;
  const { shape = { missingFields: known }, hold } = run;
  const name = `run ${run.runNumber} of ${run.watchlistId}`;
  assert.deepEqual(run.missingFields ?? [], known, `${name}: fields missing before`);
  const missing = missingFieldsAfter(record, known);
  const lost = missing.filter((field) => !known.includes(field));
  assert.deepEqual(shape.lostFields ?? [], lost, `${name}: lost fields`);
  assert.deepEqual(shape.missingFields, missing, `${name}: missing fields`);
  checkJump(record, shape.priceJump, name);
  if (lost.length > 0) reached("a field was lost");
  if (shape.priceJump !== undefined) reached("prices jumped");
  return hold === undefined || hold.status === "released" ? missing : known;
}

/** Returns true if the watchlist's brake holds a run because of the shape of its answers. */
export const isHeldForShape = ({ limits, shape }: Run): boolean =>
  limits.brake !== null && (shape?.priceJump ?? shape?.lostFields) !== undefined;

/** Returns all fields that are missing after a run, from the counts that its batches recorded. */
function missingFieldsAfter({ run, steps }: RunRecords, known: readonly string[]): string[] {
  if (run.kind === "baseline") return [...known];
  const compared = new Map<string, number>();
  const counts = new Map<string, { had: number; lost: number }>();
  for (const { step, batches } of steps) {
    const kind = readingKind(stepOf(run.pipeline, step.step));
    for (const shape of batches.flatMap(({ result }) => result?.shape ?? [])) {
      compared.set(kind, (compared.get(kind) ?? 0) + shape.compared);
      for (const [field, [had, lost]] of Object.entries(shape.fields)) {
        const before = counts.get(`${kind}.${field}`) ?? { had: 0, lost: 0 };
        counts.set(`${kind}.${field}`, { had: before.had + had, lost: before.lost + lost });
      }
    }
  }
  const comparedWith = (field: string): number => compared.get(field.split(".")[0] ?? "") ?? 0;
  const missing = [...counts]
    .filter(([field, { had, lost }]) => {
      const wasThere = had >= shapeItemsMin && had * 100 >= comparedWith(field) * 95;
      return wasThere && lost * 10 >= had * 8;
    })
    .map(([field]) => field);
  const kept = known.filter((field) => comparedWith(field) < shapeItemsMin);
  return [...new Set([...kept, ...missing])].toSorted();
}

/**
 * Compares the price jump that a run reports with the prices that the run observed. Looks for the
 * most items whose factors are at least 3 or at most 1/3 and differ by at most 15%: `jump` must
 * have this number of items. Without `jump`, the number must be too small for a jump.
 */
function checkJump({ run, steps }: RunRecords, jump: ShapeChange["priceJump"], name: string): void {
  const factors = new Map<string, number>();
  for (const { id, values } of steps.flatMap(({ points }) => points)) {
    const field = prices.find((price) => values[price] !== undefined) ?? "price";
    const { before, after } = values[field] ?? {};
    if (typeof before !== "number" || typeof after !== "number") continue;
    if (before > 0 && after > 0 && !factors.has(id)) factors.set(id, after / before);
  }
  const far = [...factors.values()].filter((factor) => factor >= 3 || factor <= 1 / 3);
  const most = Math.max(
    0,
    ...far.map((low) => far.filter((one) => one >= low && one <= low * 1.15).length),
  );
  if (jump !== undefined) {
    assert.equal(jump.items, most, `${name}: items of the jump`);
    assert(jump.factor >= 2.9 || jump.factor <= 0.35, `${name}: factor ${jump.factor}`);
    assert.notEqual(run.kind, "baseline", `${name}: a baseline has no jump`);
    return;
  }
  // A jump also needs a tenth of the compared items. Watchlists of the simulation are so small that
  // `shapeItemsMin` items are always enough.
  assert(most < shapeItemsMin || run.kind === "baseline", `${name}: a jump was not found`);
}
