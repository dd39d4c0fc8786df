import type { IConstruct } from "constructs";

/** Anchors of headings in docs/operate.md to which alarms link, one for each kind of alarm. */
export const runbookAnchors = [
  "alarm-api-failing",
  "alarm-api-slow",
  "alarm-calls-refused",
  "alarm-calls-rate-limited",
  "alarm-calls-unauthorized",
  "alarm-concurrency-high",
  "alarm-function-failing",
  "alarm-queue-waiting",
  "alarm-dead-letters",
  "alarm-runs-late",
  "alarm-runs-failing",
  "alarm-runs-held",
  "alarm-watchlists-overdue",
  "alarm-sweeper-silent",
  "alarm-receivers-failing",
  "alarm-event-bus-failing",
  "alarm-ledger-slow",
  "alarm-ledger-contended",
  "alarm-limiter-local",
  "alarm-release-failing",
  "alarm-source-shape-changed",
  "alarm-source-unavailable",
  "alarm-table-refusing",
  "alarm-table-throttling",
] as const;
export type RunbookAnchor = (typeof runbookAnchors)[number];

/**
 * Returns the link to the section of the runbook about an alarm: at the URL in the context key
 * `runbookUrl`, otherwise in docs/operate.md.
 * @throws Error if the context value is not an HTTPS URL
 */
export function runbookLink(scope: IConstruct, anchor: RunbookAnchor): string {
  const base: unknown = scope.node.tryGetContext("runbookUrl");
  if (base === undefined) return `docs/operate.md#${anchor}`;
  if (typeof base !== "string" || !/^https:\/\/[^\s#]{1,290}$/.test(base)) {
    throw new Error(
      "Context key 'runbookUrl' must be the HTTPS URL of docs/operate.md, without a '#' " +
        `(got ${JSON.stringify(base)}).`,
    );
  }
  return `${base}#${anchor}`;
}
