import type { Logger } from "@aws-lambda-powertools/logger";
import type { Clock } from "../base/clock.ts";
import type { SourceReport } from "../sources/source-report.ts";

const namespace = "RetailProductData";
const dimensions = ["source", "scraper"];
/** Values that CloudWatch takes for one metric in one line. */
const valuesMax = 100;
const itemStatuses = ["ok", "partial", "not_found", "unavailable"] as const;

/**
 * Writes one log line per read, which CloudWatch also takes as metrics (embedded metric format), by
 * source and scraper.
 */
export function sourceMetrics(
  logger: Pick<Logger, "info">,
  clock: Clock,
): (report: SourceReport) => void {
  return ({ source, scraper, milliseconds, items, calls }) => {
    const values: Record<string, number | readonly number[]> = {
      calls: calls.milliseconds.length,
      ...(calls.milliseconds.length > 0 && { call_ms: slowestOf(calls.milliseconds) }),
      read_ms: milliseconds,
      tries: calls.tries,
      throttled: calls.throttled,
      circuit_opened: calls.circuitsOpened,
      ...Object.fromEntries(itemStatuses.map((status) => [`items_${status}`, items[status] ?? 0])),
    };
    const metrics = Object.keys(values).map((name) => ({
      Name: name,
      Unit: name.endsWith("_ms") ? "Milliseconds" : "Count",
    }));
    logger.info("source read", {
      source,
      scraper,
      ...values,
      replies: calls.replies,
      _aws: {
        Timestamp: clock.now().getTime(),
        CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [dimensions], Metrics: metrics }],
      },
    });
  };
}

/** Of more calls than fit into one line, the slowest say most. */
const slowestOf = (milliseconds: readonly number[]): number[] =>
  milliseconds.toSorted((a, b) => b - a).slice(0, valuesMax);
