import type { WebhookDelivery } from "../../api/resources.ts";

/** The number of deliveries of a UTC day by their result. */
export interface DayOfDeliveries {
  /** The day, such as `2026-11-28`. */
  readonly date: string;
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
  /** The number of requests. */
  readonly attempts: number;
}

const dayLength = "2026-11-28".length;

/** Counts deliveries by the UTC day on which their event was created, the oldest day first. */
export function daysOf(deliveries: readonly WebhookDelivery[]): readonly DayOfDeliveries[] {
  const days = Map.groupBy(deliveries, ({ created_at: at }) => at.slice(0, dayLength));
  return [...days]
    .map(([date, all]) => ({
      date,
      delivered: all.filter(({ state }) => state === "delivered").length,
      failed: all.filter(({ state }) => state === "failed").length,
      pending: all.filter(({ state }) => state === "pending").length,
      attempts: all.reduce((sum, one) => sum + one.attempt_count, 0),
    }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}
