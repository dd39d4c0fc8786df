import type { Mutant } from "./mutant.ts";

const change = "shared/pipelines/decide-change.ts";
const route = "shared/pipelines/decide-route.ts";

/** Mutants of routes that limit their notifications, and of their states. */
export const limitMutants: readonly Mutant[] = [
  {
    name: "route-states-not-applied",
    file: "shared/runs/apply-outcome.ts",
    original: '    ...withStates(item, outcome.routeStates),\n    state: "active",',
    replacement: '    ...item,\n    state: "active",',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "route-states-not-in-page",
    file: "shared/watchlists/item-columns.ts",
    original: "routeStates === undefined ? openChanges",
    replacement: "routeStates !== undefined ? openChanges",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "route-states-of-routed-items-lost",
    file: "shared/runs/item-outcome.ts",
    original: "if (outcome[field] !== undefined) part[field]",
    replacement: "if (field !== 'routeStates' && outcome[field] !== undefined) part[field]",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "cooldown-of-changes-ignored",
    file: change,
    original: "const isDelayed = isCooling(state, at);",
    replacement: "const isDelayed = false;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "cooldown-of-matches-ignored",
    file: route,
    original: "!wasMatched && !isCooling(state, at);",
    replacement: "!wasMatched;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "drift-lost",
    file: change,
    original: 'return !isGated(route) && typeof is === "number" ? is : reference;',
    replacement: 'return typeof is === "number" ? is : reference;',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "drift-of-other-steps-lost",
    file: "shared/runs/route-states-after.ts",
    original: "return keepState(route, state, { before: stored[kind], after, trackedFields });",
    replacement: "return state;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "confirmed-by-one-read",
    file: change,
    original: "const isConfirmed = reads === (route.confirm ?? 1);",
    replacement: "const isConfirmed = reads >= 1;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "once-reported-again",
    file: route,
    original: "const matches = isConfirmed && !wasMatched && ",
    replacement: "const matches = isConfirmed && ",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "once-left-while-sold-out",
    file: "shared/pipelines/field-tests.ts",
    original: 'if (skipsNull && isGap) return "unknown";',
    replacement: 'if (skipsNull && isGap) return "unmet";',
    detectedBy: { testFile: "test/shared/pipelines/field-tests.test.ts" },
  },
  {
    name: "decrease-from-null-in-event",
    file: "shared/pipelines/rules.ts",
    original: "const bridged = reportsChanged ? acrossNull(changes, notifying) : {};",
    replacement: "const bridged = {};",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "where-ignored",
    file: "shared/pipelines/field-tests.ts",
    original: '? where\n    : [{ field, op, value: value ?? "" }, ...where];',
    replacement: '? []\n    : [{ field, op, value: value ?? "" }];',
    detectedBy: { scenario: "runs" },
  },
  {
    name: "earlier-prices-not-followed",
    file: "shared/pipelines/tested-prices.ts",
    original: "{ prices: traceAfter(field, trace, read) }",
    replacement: "{ prices: trace }",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "earlier-prices-lost-by-other-reads",
    file: "shared/pipelines/tested-prices.ts",
    original: "if (trace !== undefined) after[field] = { prices: trace };",
    replacement: "continue;",
    detectedBy: { testFile: "test/shared/pipelines/tested-prices.test.ts" },
  },
  {
    name: "reference-value-not-in-event",
    file: "shared/runs/run-events.ts",
    original: "changes: outcome.reportedChanges ?? outcome.changes ?? {},",
    replacement: "changes: outcome.changes ?? outcome.reportedChanges ?? {},",
    detectedBy: { scenario: "runs" },
  },
];
