import { type Difference, fieldDifferences } from "./difference.ts";
import { markDifferences } from "./mark.ts";
import { leaseUntil as longestLease } from "../../../shared/outbox/lease.ts";
import type { Target } from "../../../shared/outbox/outbox.ts";

/** What stands in a target's row, and the earliest of what it is owed; times are ISO 8601 UTC. */
export interface StoredTarget {
  readonly target: Target;
  /** When the sweeper has it worked off; null when it is not due. */
  readonly dueAt: string | null;
  /** Until when somebody is at it. */
  readonly leaseUntil: string | null;
  /** When the earliest entry is due; null when nothing is owed. */
  readonly owedAt: string | null;
}

/**
 * A target that is owed something is due no later than that, or as soon as its lease ends; and no
 * lease is longer than the longest that is ever taken.
 */
export function targetDifferences(stored: StoredTarget, now: Date): Difference[] {
  const { target, dueAt, leaseUntil, owedAt } = stored;
  const place = `${target.accountId} outbox ${target.targetId}`;
  const bounds = { now, latest: longestLease, mayBePast: true };
  if (leaseUntil !== null) {
    const late = markDifferences({ place, field: "lease_until" }, leaseUntil, bounds);
    // It is due when its lease ends: said once.
    if (late.length > 0) return late;
  }
  if (owedAt === null) return [];
  if (dueAt !== null && leaseUntil !== null) {
    return markDifferences({ place, field: "due_at" }, dueAt, bounds);
  }
  const latest = [owedAt, now.toISOString()].reduce((a, b) => (a > b ? a : b));
  const isInTime = dueAt !== null && dueAt <= latest;
  return fieldDifferences(place, { due_at: dueAt }, { due_at: isInTime ? dueAt : owedAt });
}
