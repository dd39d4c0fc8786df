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
  "alarm-source-unavailable",
  "alarm-table-refusing",
] as const;
export type RunbookAnchor = (typeof runbookAnchors)[number];

/**
 * Where an alarm's entry is: below the address that context `runbookUrl` gives, as a README read in
 * a browser has one.
 * @throws Error when the context is no address
 */
export function runbookLink(scope: IConstruct, anchor: RunbookAnchor): string {
  const base: unknown = scope.node.tryGetContext("runbookUrl") ?? "README.md";
  if (typeof base !== "string" || !/^[^\s#]{1,300}$/.test(base)) {
    throw new Error("Context 'runbookUrl' must be the address of the README, without a '#'.");
  }
  return `${base}#${anchor}`;
}
