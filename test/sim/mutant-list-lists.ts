import type { Mutant } from "./mutant-list.ts";

const transactions = "shared/aws/watchlist-transactions.ts";

/** Mistakes with lists, their items, idempotency keys and API keys. */
export const listMutants: readonly Mutant[] = [
  {
    name: "one-list-too-many",
    file: transactions,
    says: "OR watchlists < :max",
    instead: "OR watchlists <= :max",
    scenario: "lists",
  },
  {
    name: "one-key-too-many",
    file: "shared/aws/api-key-store.ts",
    says: "OR key_count < :max",
    instead: "OR key_count <= :max",
    scenario: "lists",
  },
  {
    name: "key-remembered-until-its-ttl",
    file: "shared/aws/idempotency-store.ts",
    says: '"attribute_not_exists(pk) OR expires_at <= :now"',
    instead: '"attribute_not_exists(pk) OR expires_at = :now"',
    scenario: "lists",
  },
  {
    name: "key-of-another-body",
    file: "shared/watchlists/claim-creation.ts",
    says: "if (found.bodyHash !== bodyHash) throw idempotencyKeyReused();",
    instead: "",
    scenario: "lists",
  },
  {
    name: "page-whatever-its-version",
    file: "shared/aws/page-writes.ts",
    says: '=> ({\n    ConditionExpression: "version = :seen",',
    instead: '=> ({\n    ConditionExpression: "attribute_exists(pk) OR version = :seen",',
    scenario: "lists",
  },
  {
    name: "rest-of-a-query-ignored",
    file: "shared/aws/query-rows.ts",
    says: "    start = LastEvaluatedKey;",
    instead: "    start = LastEvaluatedKey && undefined;",
    scenario: "runs",
  },
  {
    name: "purge-forgets-results",
    file: "shared/aws/purge-store.ts",
    says: "return removePartition(client, options, { pk, isOver });",
    instead: 'return pk !== "" || removePartition(client, options, { pk, isOver });',
    scenario: "lists",
  },
  {
    name: "refresh-accepted-anywhere",
    file: "shared/watchlists/change-watchlist.ts",
    says: "  checkRefreshSetting({ platform: before.platform, pipeline, refreshEveryRuns });\n",
    instead: "",
    scenario: "lists",
  },
  {
    name: "status-at-creation-ignored",
    file: "shared/watchlists/request.ts",
    says: "    pipeline,\n    status,\n",
    instead: '    pipeline,\n    status: "active",\n',
    scenario: "lists",
  },
  {
    name: "empty-watchlist-stays-due",
    file: "shared/runs/take-due.ts",
    says: "if (isEmpty(watchlist)) {",
    instead: "if (isEmpty(watchlist)) return undefined;\n  if (isEmpty(watchlist)) {",
    scenario: "runs",
  },
  {
    name: "purge-beside-a-run",
    file: "shared/watchlists/purge-watchlist.ts",
    says: 'if (await purges.isRunning(watchlistId)) return "unfinished";',
    instead: "",
    scenario: "runs",
  },
  {
    name: "list-bound-to-its-deleted-endpoint",
    file: "shared/watchlists/endpoint-binding.ts",
    says: "known.find((one) => isRegisteredAfter(deletion, one)) ??\n        known.find((one) => one.url === url)",
    instead: "undefined",
    scenario: "lists",
  },
  {
    name: "successor-forgotten-with-its-url",
    file: "shared/watchlists/endpoint-binding.ts",
    says: "known.find((one) => isRegisteredAfter(deletion, one)) ??\n",
    instead: "",
    scenario: "lists",
  },
  {
    name: "last-url-of-a-deleted-endpoint-forgotten",
    file: "shared/watchlists/endpoint-binding.ts",
    says: "deletion?.url ?? stored",
    instead: "stored ?? deletion?.url ?? null",
    scenario: "lists",
  },
  {
    name: "events-for-the-deleted-endpoint",
    file: "shared/runs/finish-run.ts",
    says: "{ ...(pause ? paused(list) : list), webhookEndpointId }",
    instead: "pause ? paused(list) : list",
    scenario: "lists",
  },
  {
    name: "endpoint-registered-again-not-stored",
    file: "shared/runs/finish-run.ts",
    says: "...(endpoint !== null && !isStored && { endpoint }),",
    instead: "",
    scenario: "lists",
  },
];
