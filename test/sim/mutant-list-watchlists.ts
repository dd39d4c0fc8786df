import type { Mutant } from "./mutant.ts";

const lifecycle = "shared/aws/watchlists/watchlist-lifecycle.ts";

/** Mutants of watchlists, their items, idempotency keys and API keys. */
export const watchlistMutants: readonly Mutant[] = [
  {
    name: "one-watchlist-too-many",
    file: lifecycle,
    original: "OR watchlists < :max",
    replacement: "OR watchlists <= :max",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "tick-without-a-group",
    file: "shared/aws/watchlists/schedules.ts",
    original: "        MessageGroupId: accountId,\n",
    replacement: "",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "one-key-too-many",
    file: "shared/aws/accounts/api-key-store.ts",
    original: "OR key_count < :max",
    replacement: "OR key_count <= :max",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "expired-key-still-known",
    file: "shared/aws/watchlists/idempotency-store.ts",
    original: '"attribute_not_exists(pk) OR expires_at <= :now"',
    replacement: '"attribute_not_exists(pk) OR expires_at = :now"',
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "key-accepted-with-another-body",
    file: "shared/watchlists/claim-creation.ts",
    original: "if (foundRecord.bodyHash !== bodyHash) throw idempotencyKeyReused();",
    replacement: "",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "labels-of-later-pages-lost-at-creation",
    file: "shared/aws/watchlists/details-pages.ts",
    original: "const own = details.filter(({ id }) => id >= lowest && (",
    replacement: "const own = details.filter(({ id }) => lowest === '' && id >= lowest && (",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "page-version-unchecked",
    file: "shared/aws/watchlists/page-writes.ts",
    original: '    : {\n        ConditionExpression: "version = :seen",',
    replacement: '    : {\n        ConditionExpression: "attribute_exists(pk) OR version = :seen",',
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "rest-of-a-query-ignored",
    file: "shared/aws/table/query-rows.ts",
    original: "    yield Items;\n    start = LastEvaluatedKey;",
    replacement: "    yield Items;\n    start = LastEvaluatedKey && undefined;",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "purge-leaves-results",
    file: "shared/aws/watchlists/purge-store.ts",
    original: "return removePartition(client, options, { pk, isOver });",
    replacement: 'return pk !== "" || removePartition(client, options, { pk, isOver });',
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "refresh-accepted-anywhere",
    file: "shared/watchlists/change-watchlist.ts",
    original: "  checkRefreshSetting({ platform: before.platform, pipeline, refreshEveryRuns });\n",
    replacement: "",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "status-at-creation-ignored",
    file: "shared/watchlists/request.ts",
    original: "    pipeline,\n    status,\n",
    replacement: '    pipeline,\n    status: "active",\n',
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "empty-watchlist-stays-due",
    file: "shared/runs/claim-due-run.ts",
    original: "if (isEmpty(watchlist)) {",
    replacement: "if (isEmpty(watchlist)) return undefined;\n  if (isEmpty(watchlist)) {",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "purge-during-a-run",
    file: "shared/watchlists/purge-watchlist.ts",
    original: 'if (await purges.isRunning(watchlistId)) return "unfinished";',
    replacement: "",
    detectedBy: { scenario: "runs" },
  },
  {
    name: "watchlist-bound-to-its-deleted-endpoint",
    file: "shared/watchlists/endpoint-binding.ts",
    original:
      "known.find((one) => isRegisteredAfter(deletion, one)) ??\n        known.find((one) => one.url === url)",
    replacement: "undefined",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "successor-forgotten-with-its-url",
    file: "shared/watchlists/endpoint-binding.ts",
    original: "known.find((one) => isRegisteredAfter(deletion, one)) ??\n",
    replacement: "",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "last-url-of-a-deleted-endpoint-forgotten",
    file: "shared/watchlists/endpoint-binding.ts",
    original: "deletion?.url ?? stored",
    replacement: "stored ?? deletion?.url ?? null",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "events-for-the-deleted-endpoint",
    file: "shared/runs/finish-run.ts",
    original: "{ ...(pause ? inPause(watchlist) : watchlist), webhookEndpointId }",
    replacement: "pause ? inPause(watchlist) : watchlist",
    detectedBy: { scenario: "watchlists" },
  },
  {
    name: "endpoint-registered-again-not-stored",
    file: "shared/runs/finish-run.ts",
    original: "...(endpoint !== null && !isStored && { endpoint }),",
    replacement: "",
    detectedBy: { scenario: "watchlists" },
  },
];
