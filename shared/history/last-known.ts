import type { FieldValue } from "../scrapers/catalogue.ts";
import { kindOf } from "./change-kinds.ts";
import type { FieldChange, FoundChange } from "./field-change.ts";
import type { HistoryStore } from "./history-store.ts";

/** Returns a change from null to a number: the item is back after a time without a value. */
export const isReturn = ({ before, after }: Pick<FoundChange, "after" | "before">): boolean =>
  before === null && typeof after === "number";

/** Compares a change with the value that was known before it. */
export function comparedWith(change: FoundChange, lastKnown: FieldValue): FieldChange {
  const { after } = change;
  const isNumeric = typeof lastKnown === "number" && typeof after === "number";
  const delta = isNumeric ? after - lastKnown : null;
  const deltaPercent = delta === null || lastKnown === 0 ? null : (delta / Number(lastKnown)) * 100;
  return { ...change, kind: kindOf({ ...change, delta }), lastKnown, delta, deltaPercent };
}

/**
 * Finds the last number of a field before a change from null, in the history of the item; null if
 * the history has none.
 * @param since start of the kept history, ISO 8601
 */
export async function lastNumberBefore(
  { watchlistId, itemId, field, at, runNumber, step }: FoundChange,
  since: string,
  history: Pick<HistoryStore, "item">,
): Promise<number | null> {
  const points = await history.item({ watchlistId, itemId, since, until: at });
  const own = points.findLastIndex((one) => one.runNumber === runNumber && one.step === step);
  for (const { values } of points.slice(0, Math.max(0, own)).toReversed()) {
    const change = values[field];
    if (change === undefined) continue;
    if (typeof change.after === "number") return change.after;
    if (typeof change.before === "number") return change.before;
    // The first value of the field was null.
    if (change.before === undefined) return null;
  }
  return null;
}
