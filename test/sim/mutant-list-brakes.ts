import type { Mutant } from "./mutant.ts";

const finish = "shared/runs/finish-run.ts";

/** Mutants of brakes: the hold, the release and the discard of runs. */
export const brakeMutants: readonly Mutant[] = [
  {
    name: "delistings-do-not-brake",
    file: "shared/runs/compared-items.ts",
    original: "(lastSnapshot !== undefined && lastSnapshot !== null) ||",
    replacement: "",
    detectedBy: { testFile: "test/shared/runs/run-brake.test.ts" },
  },
  {
    name: "held-events-sent",
    file: "shared/runs/run-events.ts",
    original: 'if (hold === undefined || hold.status === "released") {',
    replacement: 'if (hold?.status !== "discarded") {',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "discarded-items-kept",
    file: finish,
    original: "    await restoreItems(run, dependencies);\n",
    replacement: "",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "discarded-run-in-history",
    file: finish,
    original: "return recordAndPublish(run, { ...end, results: noResults }, dependencies);",
    replacement: "return recordAndPublish(run, end, dependencies);",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "last-step-decides-the-item-before",
    file: "shared/runs/discard-run.ts",
    original: "if (!before.has(item.id)) before.set(item.id, item);",
    replacement: "before.set(item.id, item);",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "restored-items-keep-their-revision",
    file: "shared/runs/discard-run.ts",
    original: "return { ...kept, ...membersOfRuns(before), revision };",
    replacement: "return { ...kept, ...membersOfRuns(before), revision: before.revision };",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "hold-decided-twice",
    file: "shared/aws/runs/run-hold.ts",
    original: 'ConditionExpression: "phase = :held",',
    replacement: 'ConditionExpression: "attribute_exists(pk) OR phase = :held",',
    detectedBy: { testFile: "test/shared/aws/runs/run-store.test.ts" },
  },
  {
    name: "shape-does-not-hold",
    file: "shared/runs/hold.ts",
    original: "const isWrongShape = shape !== undefined && holdsEvents(shape);",
    replacement: "const isWrongShape = false;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "shape-holds-without-brake",
    file: "shared/runs/hold.ts",
    original: "if (brake === null || !isPossible) return undefined;",
    replacement:
      "if (brake === null && shape !== undefined && holdsEvents(shape) && run.kind !== 'baseline')\n" +
      '    return { status: "held", changedItems: 0, readItems: 0, decidedAt: null, reason: null };\n' +
      "  if (brake === null || !isPossible) return undefined;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "any-two-changed-prices-jump",
    file: "shared/runs/source-shape.ts",
    original: "[...factors.values()].filter(isFar).toSorted",
    replacement: "[...factors.values()].toSorted",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "shape-of-one-batch-only",
    file: "shared/runs/run-totals.ts",
    original: "before === undefined ? shape : addShapes(before, shape)",
    replacement: "before ?? shape",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "discarded-run-remembers-missing-fields",
    file: "shared/runs/source-shape.ts",
    original: 'hold === undefined || hold.status === "released" ?',
    replacement: 'hold === undefined || hold.status !== "held" ?',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "released-run-forgets-missing-fields",
    file: "shared/runs/source-shape.ts",
    original: 'hold === undefined || hold.status === "released" ?',
    replacement: "hold === undefined ?",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "run-ignores-known-missing-fields",
    file: "shared/runs/claim-run.ts",
    original:
      "...(watchlist.missingFields !== undefined && { missingFields: watchlist.missingFields }),",
    replacement: "",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "watchlist-runs-while-held",
    file: "shared/aws/runs/run-store.ts",
    original: '":running": run.hold === undefined ? null : run.runNumber,',
    replacement: '":running": null,',
    detectedBy: { scenario: "runs" },
  },
];
