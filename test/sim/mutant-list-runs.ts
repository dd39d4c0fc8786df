import type { Mutant } from "./mutant-list.ts";

const steps = "shared/aws/step-store.ts";

/** Mistakes with runs, what they find and what they cost. */
export const runMutants: readonly Mutant[] = [
  {
    name: "first-batch-taken-for-done",
    file: steps,
    says: '":batch": new Set([ref.batch])',
    instead: '":batch": new Set([ref.batch, 0])',
    scenario: "runs",
  },
  {
    name: "result-written-over",
    file: steps,
    says: '          ttl,\n        },\n        ConditionExpression: "attribute_not_exists(pk)",',
    instead: "          ttl,\n        },",
    scenario: "runs",
  },
  {
    name: "plan-written-over",
    file: steps,
    says: 'Item: { ...Key, ...stepRow(step), ttl },\n        ConditionExpression: "attribute_not_exists(pk)",',
    instead: "Item: { ...Key, ...stepRow(step), ttl },",
    scenario: "runs",
  },
  {
    name: "run-told-as-done-before-its-events",
    file: "shared/runs/finish-run.ts",
    says: "  if (run.watchlist !== null) {\n",
    instead: "  await runs.markEmitted(run);\n  if (run.watchlist !== null) {\n",
    scenario: "runs",
  },
  {
    name: "reading-before-it-is-planned",
    file: "shared/runs/start-run.ts",
    says: "  await steps.saveStarts(run.id, plan, new Map(batches));\n  await runs.startReading(run, { plan, stats: { ...run.stats, tracked, newItems } });\n",
    instead:
      "  await runs.startReading(run, { plan, stats: { ...run.stats, tracked, newItems } });\n  await steps.saveStarts(run.id, plan, new Map(batches));\n",
    scenario: "runs",
  },
  {
    name: "found-lost-with-a-race",
    file: "shared/runs/store-outcomes.ts",
    says: 'if (outcome !== "replaced") left.push(...owned);',
    instead: 'if (outcome === "full") left.push(...owned);',
    scenario: "runs",
  },
  {
    name: "read-page-whatever-its-version",
    file: "shared/aws/page-writes.ts",
    says: 'Item: pageRow(watchlistId, page, version),\n        ConditionExpression: "version = :seen",',
    instead:
      'Item: pageRow(watchlistId, page, version),\n        ConditionExpression: "attribute_exists(pk) OR version = :seen",',
    scenario: "runs",
  },
  {
    name: "run-ended-twice",
    file: "shared/aws/run-store.ts",
    says: 'ConditionExpression: "phase = :finishing",',
    instead: 'ConditionExpression: "attribute_exists(pk) OR phase = :finishing",',
    scenario: "runs",
  },
  {
    name: "run-moved-from-any-phase",
    file: "shared/aws/run-phase.ts",
    says: '`phase IN (${phases.map(([name]) => name).join(", ")})`',
    instead: '`(attribute_exists(pk) OR phase IN (${phases.map(([name]) => name).join(", ")}))`',
    scenario: "runs",
  },
  {
    name: "watchdog-fails-live-runs",
    file: "shared/runs/give-up-run.ts",
    says: "const stuckMs = 15 * 60 * 1_000 + progressGrainMs;",
    instead: "const stuckMs = 15 * 1_000 + progressGrainMs;",
    scenario: "runs",
  },
  {
    name: "delisted-item-read-again",
    file: "shared/runs/start-run.ts",
    says: 'if (item.state === "delisted") continue;',
    instead: "",
    scenario: "runs",
  },
  {
    name: "event-id-by-chance",
    file: "shared/events/event.ts",
    says: "run.runId, type, part);",
    instead: "run.runId, type, part, Math.random());",
    scenario: "runs",
  },
  {
    name: "item-left-out-of-a-plan",
    file: "shared/runs/start-run.ts",
    says: "    for (const step of startsOf(item, run)) push(",
    instead:
      "    if (tracked % 4 !== 0) continue;\n    for (const step of startsOf(item, run)) push(",
    scenario: "runs",
  },
  {
    name: "owed-read-forgotten",
    file: "shared/runs/start-run.ts",
    says: "[start, ...item.owes.filter((step) => known.has(step))]",
    instead: "[start]",
    scenario: "runs",
  },
  {
    name: "snapshot-lost-with-a-failed-read",
    file: "shared/runs/apply-outcome.ts",
    says: "lastReadStatus: outcome.status,",
    instead: "lastReadStatus: outcome.status, readings: {}, snapshotAt: null,",
    scenario: "runs",
  },
  {
    name: "nothing-ever-changes",
    file: "shared/runs/outcome.ts",
    says: "before: item.readings[kind] ?? null,",
    instead: "before: null,",
    scenario: "runs",
  },
  {
    name: "tick-of-another-due-time",
    file: "shared/runs/take-due.ts",
    says: "every: 60_000",
    instead: "every: 600_000",
    scenario: "runs",
  },
  {
    name: "every-second-due-time-lost",
    file: "shared/watchlists/schedule.ts",
    says: "(missed + 1) * stepMs",
    instead: "(missed + 2) * stepMs",
    scenario: "runs",
  },
  {
    name: "third-skip-pauses-nothing",
    file: "shared/runs/finish-run.ts",
    says: "skips >= limits.consecutiveSkipsMax",
    instead: "skips > 999",
    scenario: "runs",
  },
  {
    name: "skips-never-reset",
    file: "shared/runs/finish-run.ts",
    says: '!== "insufficient_credits") return 0;',
    instead: '!== "insufficient_credits") return before;',
    scenario: "runs",
  },
  {
    name: "partial-charged",
    file: "shared/runs/read-step.ts",
    says: 'status === "ok" || status === "not_found";',
    instead: 'status !== "unavailable";',
    scenario: "runs",
  },
  {
    name: "matched-before-changed",
    file: "shared/runs/run-events.ts",
    says: '    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),\n    ...parts("watchlist.product.matched", "products", entriesOf(matchedEntries)),\n',
    instead:
      '    ...parts("watchlist.product.matched", "products", entriesOf(matchedEntries)),\n    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),\n',
    scenario: "runs",
  },
  {
    name: "key-remembered-for-two-hours",
    file: "shared/watchlists/idempotency.ts",
    says: "keyMemoryMs = 24 *",
    instead: "keyMemoryMs = 2 *",
    scenario: "lists",
  },
];
