import { type Difference, fieldDifferences } from "./difference.ts";
import { markDifferences } from "./mark.ts";
import { leaseUntil as longestLease } from "../../../shared/outbox/lease.ts";
import type { DeliveryTarget } from "../../../shared/outbox/outbox.ts";

/** The row of a delivery target, and its earliest entry; times are ISO 8601 UTC. */
export interface StoredTarget {
  readonly target: DeliveryTarget;
  /** When the sweeper has it drained; null if it is not due. */
  readonly dueAt: string | null;
  /** When its lease ends; null without a lease. */
  readonly leaseUntil: string | null;
  /** When the earliest entry is due; null without entries. */
  readonly firstDueAt: string | null;
}

/**
 * Checks the due time and lease of a delivery target. A target with entries is due at the earliest
 * one, or when its lease ends. No lease is longer than the longest that workers take.
 */
export function targetDifferences(stored: StoredTarget, now: Date): Difference[] {
  const { target, dueAt, leaseUntil, firstDueAt } = stored;
  const place = `${target.accountId} outbox ${target.targetId}`;
  const bounds = { now, latest: longestLease, mayBePast: true };
  if (leaseUntil !== null) {
    const late = markDifferences({ place, field: "lease_until" }, leaseUntil, bounds);
    // The target is due when its lease ends, so the difference is reported once.
    if (late.length > 0) return late;
  }
  if (firstDueAt === null) return [];
  if (dueAt !== null && leaseUntil !== null) {
    return markDifferences({ place, field: "due_at" }, dueAt, bounds);
  }
  const latest = [firstDueAt, now.toISOString()].reduce((a, b) => (a > b ? a : b));
  const isInTime = dueAt !== null && dueAt <= latest;
  return fieldDifferences(place, { due_at: dueAt }, { due_at: isInTime ? dueAt : firstDueAt });
}
