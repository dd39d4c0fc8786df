import type { Mutant } from "./mutant.ts";

const steps = "shared/aws/runs/step-store.ts";

/** Mutants of runs, their results and their charges. */
export const runMutants: readonly Mutant[] = [
  {
    name: "labels-lost-when-a-run-stores-facts",
    file: "shared/watchlists/item-details.ts",
    original: "  const base = before ?? blankDetails(id, addedAt);\n",
    replacement: "  const base = blankDetails(id, addedAt);\n",
    scenario: "runs",
  },
  {
    name: "labels-of-another-item-in-events",
    file: "shared/aws/runs/result-details.ts",
    original: "const known = details.get(outcome.id);",
    replacement: "const known = details.values().next().value;",
    scenario: "runs",
  },
  {
    name: "first-batch-always-done",
    file: "shared/aws/runs/step-progress.ts",
    original: '":batch": new Set([ref.batch])',
    replacement: '":batch": new Set([ref.batch, 0])',
    scenario: "runs",
  },
  {
    name: "result-overwritten",
    file: steps,
    original:
      '          ttl,\n        },\n        ConditionExpression: "attribute_not_exists(pk)",',
    replacement: "          ttl,\n        },",
    scenario: "runs",
  },
  {
    name: "plan-overwritten",
    file: steps,
    original:
      'Item: { ...Key, ...stepRow(step), ttl },\n    ConditionExpression: "attribute_not_exists(pk)",',
    replacement: "Item: { ...Key, ...stepRow(step), ttl },",
    scenario: "runs",
  },
  {
    name: "step-planned-after-the-end-of-its-run",
    file: steps,
    original:
      "const found = await whileReading(client, options, { run, Key, change: { Put: put } });",
    replacement: `const isFirst = await conditionalWrite(() => client.send(new PutCommand(put)));
  const get = new GetCommand({ TableName: table, Key, ConsistentRead: true });
  const found = isFirst ? "changed" : (await client.send(get)).Item;`,
    scenario: "runs",
  },
  {
    name: "run-done-before-its-events",
    file: "shared/runs/finish-run.ts",
    original: "  const isDone = await publishPhase(",
    replacement: "  await runs.markEmitted(run);\n  const isDone = await publishPhase(",
    scenario: "runs",
  },
  {
    name: "reading-before-planning",
    file: "shared/runs/start-run.ts",
    original:
      "  await steps.saveStarts(run.id, plan, new Map(batches));\n  await runs.startReading(run, { plan, stats: { ...run.stats, tracked, newItems } });\n",
    replacement:
      "  await runs.startReading(run, { plan, stats: { ...run.stats, tracked, newItems } });\n  await steps.saveStarts(run.id, plan, new Map(batches));\n",
    scenario: "runs",
  },
  {
    name: "outcomes-lost-after-a-conflict",
    file: "shared/runs/store-outcomes.ts",
    original: 'if (outcome !== "replaced") left.push(...owned);',
    replacement: 'if (outcome === "full") left.push(...owned);',
    scenario: "runs",
  },
  {
    name: "changed-item-stored-at-another-position",
    file: "shared/watchlists/item-columns.ts",
    original: '    wanted.has(columns.fields.id?.[n] ?? ""),',
    replacement: '    wanted.has(columns.fields.id?.[n + 1] ?? columns.fields.id?.[0] ?? ""),',
    scenario: "runs",
  },
  {
    name: "counts-of-a-page-with-changed-items-unchanged",
    file: "shared/aws/watchlists/page-store.ts",
    original: "const write = { before: [page], cut: [after],",
    replacement: "const write = { before: [page], cut: [{ ...after, counts: page.counts }],",
    scenario: "runs",
  },
  {
    name: "read-page-version-unchecked",
    file: "shared/aws/watchlists/page-writes.ts",
    original:
      'Item: itemPageRow(watchlistId, page, version),\n        ConditionExpression: "version = :seen",',
    replacement:
      'Item: itemPageRow(watchlistId, page, version),\n        ConditionExpression: "attribute_exists(pk) OR version = :seen",',
    scenario: "runs",
  },
  {
    name: "run-ended-twice",
    file: "shared/aws/runs/run-store.ts",
    original: 'ConditionExpression: "phase = :finishing",',
    replacement: 'ConditionExpression: "attribute_exists(pk) OR phase = :finishing",',
    scenario: "runs",
  },
  {
    name: "run-moved-from-any-phase",
    file: "shared/aws/runs/run-phase.ts",
    original: '`phase IN (${phases.map(([name]) => name).join(", ")})`',
    replacement:
      '`(attribute_exists(pk) OR phase IN (${phases.map(([name]) => name).join(", ")}))`',
    scenario: "runs",
  },
  {
    name: "live-run-timed-out",
    file: "shared/runs/abandon-run.ts",
    original: "const stuckMs = 15 * 60 * 1_000 + progressIntervalMs;",
    replacement: "const stuckMs = 15 * 1_000 + progressIntervalMs;",
    scenario: "runs",
  },
  {
    name: "step-sent-again-by-a-repeated-message",
    file: "shared/runs/advance-run.ts",
    original: "if (planned.isSent) return;",
    replacement: "",
    scenario: "runs",
  },
  {
    name: "sent-step-not-recorded",
    file: "shared/aws/runs/step-progress.ts",
    original: '"SET is_sent = :true"',
    replacement: '"SET was_sent = :true"',
    scenario: "runs",
  },
  {
    name: "delisted-item-read-again",
    file: "shared/runs/start-run.ts",
    original: 'if (item.state === "delisted") continue;',
    replacement: "",
    scenario: "runs",
  },
  {
    name: "random-event-id",
    file: "shared/events/event.ts",
    original: "run.runId, type, part);",
    replacement: "run.runId, type, part, Math.random());",
    scenario: "runs",
  },
  {
    name: "item-left-out-of-a-plan",
    file: "shared/runs/start-run.ts",
    original: "    for (const step of startsOf(item, run)) push(",
    replacement:
      "    if (tracked % 4 !== 0) continue;\n    for (const step of startsOf(item, run)) push(",
    scenario: "runs",
  },
  {
    name: "owed-read-forgotten",
    file: "shared/runs/start-run.ts",
    original: "[start, ...retrySteps(pipeline, item)]",
    replacement: "[start]",
    scenario: "runs",
  },
  {
    name: "owed-retry-lost-with-its-step",
    file: "shared/runs/owed-retries.ts",
    original: "item.owes.map((owed) => stepOfRetry(pipeline, item, owed).id);",
    replacement:
      "item.owes.flatMap(({ step }) => (pipeline.steps.some(({ id }) => id === step) ? [step] : []));",
    scenario: "runs",
  },
  {
    name: "owed-retry-always-at-the-baseline-step",
    file: "shared/runs/owed-retries.ts",
    original:
      "    same[0] ??\n    pipeline.steps.find(({ scraper }) => scraper === owed.scraper) ??\n",
    replacement: "",
    scenario: "runs",
  },
  {
    name: "snapshot-lost-with-a-failed-read",
    file: "shared/runs/apply-outcome.ts",
    original: "lastReadStatus: outcome.status,",
    replacement: "lastReadStatus: outcome.status, readings: {}, snapshotAt: null,",
    scenario: "runs",
  },
  {
    name: "no-change-found",
    file: "shared/runs/outcome.ts",
    original: "before: item.readings[kind] ?? null,",
    replacement: "before: null,",
    scenario: "runs",
  },
  {
    name: "last-change-of-the-last-step-only",
    file: "shared/runs/apply-outcome.ts",
    original: "before?.runId === runId ? before.changes : {}",
    replacement: "before?.runId === runId ? {} : {}",
    scenario: "runs",
  },
  {
    name: "change-counted-by-every-scraper",
    file: "shared/pipelines/rules.ts",
    original: "const isNew = (field: string): boolean => news[field] !== undefined;",
    replacement:
      "const isNew = (field: string): boolean => (moved[field] ?? news[field]) !== undefined;",
    scenario: "runs",
  },
  {
    name: "change-reported-by-every-scraper",
    file: "shared/pipelines/rules.ts",
    original: "isNew(field) || !notified.has(field);",
    replacement: "isNew(field) || notified !== undefined;",
    scenario: "runs",
  },
  {
    name: "change-lost-for-the-pulse",
    file: "shared/runs/readings-after.ts",
    original: "run === step.id && (notify !== true || isNotified)",
    replacement: "run === step.id || notify !== isNotified",
    scenario: "runs",
  },
  {
    name: "notified-counts-what-changed",
    file: "shared/runs/run-outcomes.ts",
    original: "if (outcome.reported !== undefined) notified.add(id);",
    replacement: "if (outcome.changes !== undefined) notified.add(id);",
    scenario: "runs",
  },
  {
    name: "tick-for-another-due-time",
    file: "shared/runs/claim-due-run.ts",
    original: "every: 60_000",
    replacement: "every: 600_000",
    scenario: "runs",
  },
  {
    name: "every-second-due-time-lost",
    file: "shared/watchlists/schedule.ts",
    original: "(missed + 1) * stepMs",
    replacement: "(missed + 2) * stepMs",
    scenario: "runs",
  },
  {
    name: "third-skip-pauses-nothing",
    file: "shared/runs/finish-run.ts",
    original: "skips >= limits.consecutiveSkipsMax",
    replacement: "skips > 999",
    scenario: "runs",
  },
  {
    name: "skips-never-reset",
    file: "shared/runs/finish-run.ts",
    original: '!== "insufficient_credits") return 0;',
    replacement: '!== "insufficient_credits") return before;',
    scenario: "runs",
  },
  {
    name: "deferred-refresh-dropped",
    file: "shared/runs/refresh.ts",
    original: '  if (kind === "refresh" && stats.isEntryUnread === true) return true;\n',
    replacement: "",
    scenario: "runs",
  },
  {
    name: "missed-refresh-dropped",
    file: "shared/runs/refresh.ts",
    original: '  return kind === "refresh" ? !Object.hasOwn(stats.steps, stats.entry) : dueBefore;',
    replacement: "  return dueBefore;",
    scenario: "runs",
  },
  {
    name: "run-maximum-ignores-earlier-steps",
    file: "shared/runs/reserve-step.ts",
    original: "const available = maxCreditsPerRun - charged;",
    replacement: "const available = maxCreditsPerRun;",
    scenario: "runs",
  },
  {
    name: "budget-refund-of-a-step-left-out",
    file: "shared/aws/ledger/row-holds.ts",
    original: "...(refunded === 0 ? [] : budgets",
    replacement: "...(refunded >= 0 ? [] : budgets",
    scenario: "runs",
  },
  {
    name: "shortfall-not-reported",
    file: "shared/runs/finish-run.ts",
    original: "error: foundRun.error ?? shortage",
    replacement: "error: foundRun.error",
    scenario: "runs",
  },
  {
    name: "shortfall-with-another-balance",
    file: "shared/runs/reserve-step.ts",
    original: "available: reserved.balance }",
    replacement: "available: Math.max(0, reserved.balance - 1) }",
    scenario: "runs",
  },
  {
    name: "partial-charged",
    file: "shared/runs/read-step.ts",
    original: 'status === "ok" || status === "not_found";',
    replacement: 'status !== "unavailable";',
    scenario: "runs",
  },
  {
    name: "matched-before-changed",
    file: "shared/runs/run-events.ts",
    original:
      '    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),\n    ...parts("watchlist.product.matched", "products", entriesOf(matchedEntries)),\n',
    replacement:
      '    ...parts("watchlist.product.matched", "products", entriesOf(matchedEntries)),\n    ...parts("watchlist.product.changed", "changes", entriesOf(changedEntry)),\n',
    scenario: "runs",
  },
  {
    name: "key-expires-after-two-hours",
    file: "shared/watchlists/idempotency.ts",
    original: "keyMemoryMs = 24 *",
    replacement: "keyMemoryMs = 2 *",
    scenario: "watchlists",
  },
  {
    name: "named-endpoint-forgotten",
    file: "shared/runs/run-watchlist.ts",
    original: "webhookEndpointId: watchlist.webhookEndpointId,",
    replacement: "webhookEndpointId: null,",
    scenario: "runs",
  },
  {
    name: "first-next-step-dropped",
    file: "shared/pipelines/rules.ts",
    original: "next: [...new Set(nextOf({ routes }))],",
    replacement: "next: [...new Set(nextOf({ routes }))].slice(1),",
    scenario: "runs",
  },
  {
    name: "first-branch-not-reported",
    file: "shared/pipelines/rules.ts",
    original: 'matched: [...new Set(reported.filter((when) => when !== "changed"))],',
    replacement: 'matched: [...new Set(reported.filter((when) => when !== "changed"))].slice(1),',
    scenario: "runs",
  },
  {
    name: "snapshot-file-overwritten-by-another-attempt",
    file: "shared/publishing/take-snapshot.ts",
    original: 'const name = Buffer.from(dependencies.random.bytes(nameBytes)).toString("hex");',
    replacement: 'const name = "1".repeat(nameBytes);',
    scenario: "runs",
  },
  {
    name: "last-read-of-a-snapshot-without-the-run-itself",
    file: "shared/publishing/take-snapshot.ts",
    original: 'return readEverything(ended) ? [ended.finishedAt ?? "", ...earlier] : earlier;',
    replacement: 'return readEverything(ended) ? earlier : [ended.finishedAt ?? "", ...earlier];',
    scenario: "runs",
  },
];
