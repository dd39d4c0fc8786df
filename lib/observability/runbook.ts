import type { IConstruct } from "constructs";

/** Headings of README.md that alarms link to; each says what to do about one kind of trouble. */
export const runbookAnchors = [
  "alarm-api-failing",
  "alarm-api-slow",
  "alarm-function-failing",
  "alarm-queue-waiting",
  "alarm-dead-letters",
  "alarm-runs-late",
  "alarm-runs-failing",
  "alarm-lists-overdue",
  "alarm-sweeper-silent",
  "alarm-receivers-failing",
  "alarm-ledger-slow",
  "alarm-ledger-contended",
  "alarm-limiter-local",
  "alarm-source-unavailable",
  "alarm-table-refusing",
  "alarm-table-throttling",
] as const;
export type RunbookAnchor = (typeof runbookAnchors)[number];

/**
 * Where an alarm's entry is: below the address that context `runbookUrl` gives, as a README read in
 * a browser has one.
 * @throws Error when the context is no https address
 */
export function runbookLink(scope: IConstruct, anchor: RunbookAnchor): string {
  const base: unknown = scope.node.tryGetContext("runbookUrl");
  if (base === undefined) return `README.md#${anchor}`;
  if (typeof base !== "string" || !/^https:\/\/[^\s#]{1,290}$/.test(base)) {
    throw new Error("Context 'runbookUrl' must be the https address of the README, without a '#'.");
  }
  return `${base}#${anchor}`;
}
