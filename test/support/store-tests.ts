const names = [
  "account-store",
  "api-key-store",
  "delivery-store",
  "destination-store",
  "due-targets",
  "endpoint-store",
  "event-feed.property",
  "event-feed",
  "export-store",
  "idempotency-store",
  "item-call",
  "key-admission",
  "ledger-faults.property",
  "ledger",
  "outbox-store",
  "page-store.property",
  "page-store",
  "purge-store",
  "rate-budget",
  "readers",
  "run-store",
  "step-store",
  "usage-store",
  "watchlist-store",
];

/** The tests of every adapter that speaks DynamoDB: those that run against a second engine too. */
export const storeTests: readonly string[] = names.map((name) => `test/shared/aws/${name}.test.ts`);
