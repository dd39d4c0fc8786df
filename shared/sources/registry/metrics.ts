import { newMetrics } from "../../observability/metrics.ts";
import type { WriteLine } from "../../observability/work-log.ts";
import type { SourceReport } from "./report.ts";

const itemStatuses = ["ok", "partial", "not_found", "unavailable"] as const;

/**
 * Creates a function that writes one log line for each read of a source, with metrics by source and
 * scraper.
 */
export function sourceMetrics(write: WriteLine): (report: SourceReport) => void {
  return ({ source, scraper, milliseconds, items, calls }) => {
    write("source read", {
      // The item counts are only logged. The caller of the read already publishes them as metrics.
      items: Object.fromEntries(itemStatuses.map((status) => [status, items[status] ?? 0])),
      replies: calls.replies,
      metrics: [
        newMetrics(
          "sources",
          { source, scraper },
          {
            source_calls: calls.milliseconds.length,
            source_call_ms: calls.milliseconds,
            source_read_ms: milliseconds,
            source_tries: calls.tries,
            source_throttled: calls.throttled,
            source_circuits_opened: calls.circuitsOpened,
          },
        ),
      ],
    });
  };
}
