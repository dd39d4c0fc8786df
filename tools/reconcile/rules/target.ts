import { type Difference, fieldDifferences } from "./difference.ts";
import { markDifferences } from "./mark.ts";
import { leaseUntil as longestLease } from "../../../shared/outbox/lease.ts";
import type { DeliveryTarget } from "../../../shared/outbox/outbox.ts";

/** A delivery target's row and its earliest outbox entry. Times are in ISO 8601 UTC. */
export interface StoredTarget {
  readonly target: DeliveryTarget;
  /**
   * The time from which the sweeper wakes a worker to drain the outbox. Null if the row has no such
   * time; the row of an empty outbox has none.
   */
  readonly dueAt: string | null;
  /** The end of the lease; null if there is no lease. */
  readonly leaseUntil: string | null;
  /** The due time of the earliest entry; null if there are no entries. */
  readonly firstDueAt: string | null;
}

/**
 * Checks the due time and the lease of a delivery target. A lease must not end later than the
 * longest lease of a worker allows. A target with entries must have a due time. Without a lease, it
 * must not be later than the earliest entry, or than `now` if that entry is overdue. Under a lease,
 * it must not be later than the end of the longest lease that starts now.
 */
export function targetDifferences(stored: StoredTarget, now: Date): Difference[] {
  const { target, dueAt, leaseUntil, firstDueAt } = stored;
  const place = `${target.accountId} outbox ${target.targetId}`;
  const bounds = { now, latest: longestLease, mayBePast: true };
  if (leaseUntil !== null) {
    const late = markDifferences({ place, field: "lease_until" }, leaseUntil, bounds);
    // A wrong end of the lease also makes the due time wrong, so only the lease is reported.
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
