import { type Metrics, newMetrics } from "../../shared/observability/figures.ts";

/**
 * Returns the metrics of the receiver of one message; none if there was no attempt. A receiver
 * counts once for each message, whatever the number of attempts, and counts as failing if no
 * attempt succeeded.
 * @param metrics the metrics of the message's attempts
 */
export function receiverMetrics(metrics: readonly Metrics[]): readonly Metrics[] {
  const sum = (name: string): number =>
    metrics.map(({ values }) => values[name]).reduce<number>((all, n) => all + countOf(n), 0);
  if (sum("delivery_attempts") + sum("export_attempts") === 0) return [];
  const taken = sum("delivery_succeeded") + sum("export_succeeded");
  const failing = taken === 0 ? 1 : 0;
  return [newMetrics("receivers", {}, { receivers_tried: 1, receivers_failing: failing })];
}

const countOf = (value: number | readonly number[] | undefined): number =>
  typeof value === "number" ? value : 0;
