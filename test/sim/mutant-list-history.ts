import type { Mutant } from "./mutant.ts";

const outcome = "shared/runs/outcome.ts";
const finish = "shared/runs/finish-run.ts";

/** Mutants of the history of items. */
export const historyMutants: readonly Mutant[] = [
  {
    name: "delisted-item-observed",
    file: outcome,
    original: '...(item.state !== "delisted" && changesSince(known, observed, step)),',
    replacement: "...changesSince(known, observed, step),",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "observed-against-the-last-read-of-the-same-kind",
    file: outcome,
    original: "changesSince(known, observed, step)),",
    replacement: "changesSince(item.readings[kind] ?? {}, observed, step)),",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "first-readings-not-in-history",
    file: "shared/aws/runs/step-store.ts",
    original: "const points = pointLinesOf(ref.step, found.outcomes);",
    replacement:
      "const points = pointLinesOf(\n    ref.step,\n    found.outcomes.filter((one) => !isSilent(one)),\n  );",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "run-done-before-its-history",
    file: finish,
    original: "  const recorded = await history.append(run, segment);",
    replacement:
      "  await runs.markEmitted(run);\n  const recorded = await history.append(run, segment);",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "run-done-before-its-merge",
    file: finish,
    original: '  if (recorded === "watchlist_deleted") return true;',
    replacement:
      '  await runs.markEmitted(run);\n  if (recorded === "watchlist_deleted") return true;',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "late-run-merges-only-its-window",
    file: "shared/history/merge-history.ts",
    original: "    const last = lastRunOf(window);",
    replacement:
      "    const last = lastRunOf(window);\n    if (firstRunOf(window) > runNumber) return true;",
    detectedBy: { testFile: "test/shared/history/merge-history.test.ts" },
  },
  {
    name: "claim-empties-the-row",
    file: "shared/aws/history/guarded-writes.ts",
    original:
      '  Update: {\n    TableName,\n    Key: { pk, sk },\n    UpdateExpression: "SET #ttl = :ttl",\n    ExpressionAttributeNames: { "#ttl": "ttl" },\n    ExpressionAttributeValues: { ":ttl": ttl },\n  },',
    replacement: "  Put: { TableName, Item: { pk, sk, ttl } },",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "history-row-put-after-the-purge",
    file: "shared/aws/history/guarded-writes.ts",
    original: '          Item: { ...row },\n          ConditionExpression: "attribute_exists(pk)",',
    replacement: "          Item: { ...row },",
    detectedBy: { testFile: "test/shared/aws/history/history-store.test.ts" },
  },
  {
    name: "older-runs-left-out-of-a-newest-first-read",
    file: "shared/aws/table/query-rows.ts",
    original: "    yield* Items;\n    start = LastEvaluatedKey;",
    replacement: "    yield* Items;\n    start = LastEvaluatedKey && undefined;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "last-merged-run-read-twice",
    file: "shared/aws/history/item-points.ts",
    original: "first: lastRunOf(mergedWindows) + 1 }",
    replacement: "first: lastRunOf(mergedWindows) }",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "backtest-repeats-a-discarded-run",
    file: "shared/backtest/past-runs.ts",
    original: ' && hold?.status !== "discarded";',
    replacement: ";",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "backtest-keeps-a-lost-buy-box",
    file: "shared/backtest/past-reads.ts",
    original: "if (foundValue === null) return { buyboxOfferId: null };",
    replacement: "if (foundValue === null) return {};",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "backtest-delists-before-the-step-that-did",
    file: "shared/backtest/past-reads.ts",
    original: "return own.filter(({ step }) => !later.has(step));",
    replacement: "return own;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "history-not-purged",
    file: "shared/aws/watchlists/purge-store.ts",
    original:
      "if (!(await removePartition(client, options, { pk: history, isOver }))) return false;",
    replacement: "",
    detectedBy: { scenario: "runs" },
  },
];
