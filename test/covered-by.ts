/**
 * The test of each source file of `functions`, `lib`, `shared` and `tools` that has no test at its
 * mirrored path, such as `test/shared/cron/calendar.test.ts` for `shared/cron/calendar.ts`. A test
 * checks that no file is missing, and that the imports of the named test lead to the file. Files
 * that contain only types need no entry.
 */

/** Splits lines at their spaces into names of files, which have no extensions. */
const files = (...lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => line.split(" "));

/** By folder and test: the files of the folder that the test covers. */
export const coveredBy: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "functions/": {
    "test/lib/constructs/api.test.ts": files("routes"),
    "test/lib/service-stack.test.ts": files("environment"),
  },
  "functions/account/": {
    "test/functions/account/operations.test.ts": files(
      "account-view create-api-key delete-api-key get list-api-keys",
      "list-credit-transactions update usage",
    ),
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/composition/": {
    "test/functions/products/read-sandbox.test.ts": files("sandbox"),
    "test/world/observability.slow.test.ts": files(
      "account-stores bodies-in-s3 clients delivery delivery-stores destination endpoints events",
      "has-bus ledger middleware overrides process publishing queues schedules secret-box sender",
      "source-health sources targets watchlist-stores",
    ),
  },
  "functions/composition/on-first-use/": {
    "test/world/event-bus.slow.test.ts": files("event-bus"),
    "test/world/observability.slow.test.ts": files(
      "event-bodies ledger queues schedules secret-box sources",
    ),
  },
  "functions/dashboard/": {
    "test/functions/dashboard/operations.test.ts": files("file handler page security-headers"),
  },
  "functions/dashboard/browser/format/": {
    "test/functions/dashboard/csv.test.ts": files("csv"),
    "test/functions/dashboard/times.test.ts": files("times"),
  },
  "functions/dashboard/browser/pages/changes/": {
    "test/functions/dashboard/change-filter.test.ts": files("change-filter change-words"),
  },
  "functions/dashboard/browser/pages/overview/": {
    "test/functions/dashboard/usage-by-cause.test.ts": files("usage-by-cause"),
    "test/functions/dashboard/run-out.test.ts": files("run-out"),
    "test/functions/dashboard/transaction-words.test.ts": files("transaction-words"),
  },
  "functions/dashboard/browser/pages/try/": {
    "test/functions/dashboard/price.test.ts": files("calls price"),
  },
  "functions/dashboard/browser/pages/watchlists/": {
    "test/functions/dashboard/backtest-words.test.ts": files("backtest-words"),
    "test/functions/dashboard/item-series.test.ts": files("item-series"),
    "test/functions/dashboard/item-values.test.ts": files("item-values items-csv"),
    "test/functions/dashboard/rule-draft.test.ts": files("rule-draft"),
    "test/functions/dashboard/item-filter.test.ts": files("item-filter"),
    "test/functions/dashboard/watchlist-settings.test.ts": files("watchlist-settings"),
    "test/functions/dashboard/coverage.test.ts": files("coverage"),
    "test/functions/dashboard/schedule-draft.test.ts": files("schedule-draft"),
    "test/functions/dashboard/pipeline-draft.test.ts": files("pipeline-draft"),
    "test/functions/dashboard/pipeline-words.test.ts": files("pipeline-words"),
    "test/functions/dashboard/run-words.test.ts": files("run-words"),
    "test/functions/dashboard/settings-draft.test.ts": files("settings-draft"),
  },
  "functions/dashboard/browser/pages/webhooks/": {
    "test/functions/dashboard/deliveries.test.ts": files("delivery-curl delivery-days"),
  },
  "functions/delivery/": {
    "test/functions/delivery/fairness.slow.test.ts": files("deliver"),
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/events/": {
    "test/world/errors.slow.test.ts": files("handler"),
    "test/functions/events/event.test.ts": files("get send"),
  },
  "functions/http/": {
    "test/openapi/query-parameters.slow.test.ts": files("body-fields"),
    "test/functions/http/authenticate.test.ts": files("presented-key"),
    "test/functions/http/group-handler.test.ts": files(
      "access answer call-parts call-state error-response method-routes open-call query time-to-answer",
      "validate",
    ),
    "test/functions/http/json-body.test.ts": files("header"),
    "test/functions/http/request-log.test.ts": files("item-reply route route-of-call"),
    "test/functions/http/response-body.test.ts": files("cors public-document"),
  },
  "functions/mcp/": {
    "test/functions/mcp/tools.test.ts": files(
      "account-tools input-schema item-tools summary watchlist-tools",
    ),
    "test/world/agents.slow.test.ts": files("handler message-route rpc-error server"),
  },
  "functions/meta/": {
    "test/functions/meta/health.test.ts": files("root"),
    "test/functions/meta/pages.test.ts": files("handler openapi page"),
  },
  "functions/offers/": {
    "test/functions/offers/operations.test.ts": files("check handler read"),
  },
  "functions/platforms/": {
    "test/functions/platforms/list.test.ts": files("handler"),
  },
  "functions/products/": {
    "test/functions/products/slow-ledger.test.ts": files("handler"),
  },
  "functions/run-finisher/": {
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/run-starter/": {
    "test/functions/run-starter/old-schedules.test.ts": files("handler"),
  },
  "functions/run-step/": {
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/s3-destination/": {
    "test/functions/s3-destination/operations.test.ts": files(
      "backfill delete get list-exports put test update",
    ),
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/structured/": {
    "test/functions/structured/operations.test.ts": files("call handler list"),
  },
  "functions/sweeper/": {
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/watchlists/": {
    "test/functions/watchlists/backtest.test.ts": files("candidate-pipeline"),
    "test/functions/watchlists/credit-limits.test.ts": files("daily-use"),
    "test/functions/watchlists/decide-hold.test.ts": files("get-run run-of-path"),
    "test/functions/watchlists/history.test.ts": files("item-history list-changes"),
    "test/functions/watchlists/read.test.ts": files(
      "estimate existing-watchlist get list list-items list-runs run-now schedule-preview",
      "scrapers search-items sources",
    ),
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "functions/webhook-endpoints/": {
    "test/functions/webhook-endpoints/deliveries.test.ts": files(
      "get-delivery list-deliveries list-endpoint-deliveries recover redeliver",
    ),
    "test/functions/webhook-endpoints/operations.test.ts": files(
      "create delete get list rotate test update",
    ),
    "test/world/observability.slow.test.ts": files("handler"),
  },
  "lib/": {
    "test/lib/constructs/operator-access.test.ts": files("operator-names"),
    "test/lib/data-stack.test.ts": files("pin-logical-id"),
    "test/lib/service-stack.test.ts": files("api-functions data-references workers"),
    "test/lib/source-config.slow.test.ts": files("grants"),
  },
  "lib/constructs/": {
    "test/lib/bundles.slow.test.ts": files("function-bundle"),
    "test/lib/constructs/api.test.ts": files("access-log gateway-responses"),
    "test/lib/constructs/minute-schedule.test.ts": files("scheduler-role"),
    "test/lib/constructs/queue-worker.test.ts": files("secure-queue"),
  },
  "lib/observability/": {
    "test/lib/constructs/deployment-event-bus.test.ts": files("event-bus"),
    "test/lib/observability/alarms.test.ts": files(
      "alarm-topic dead-letter-alarm load-alarms monthly-budget observability observed",
      "release-alarms resource-alarms runbook service-alarm service-alarms",
      "service-metrics",
    ),
    "test/lib/observability/dashboard.test.ts": files("service-dashboard"),
  },
  "shared/accounts/": {
    "test/functions/account/operations.test.ts": files(
      "account-schema api-key-schema present-account present-api-key",
      "read-usage revoke-api-key scopes usage-schema",
    ),
    "test/shared/accounts/rate-window.property.test.ts": files("local-rate"),
    "test/shared/aws/accounts/account-store.test.ts": files("account credit-packs"),
    "test/shared/aws/accounts/key-admission.test.ts": files("create-account"),
  },
  "shared/aws/accounts/": {
    "test/functions/meta/health.test.ts": files("table-check"),
    "test/shared/aws/accounts/key-admission.test.ts": files("key-row"),
  },
  "shared/aws/deliveries/": {
    "test/shared/aws/deliveries/due-targets.test.ts": files("outbox"),
    "test/shared/aws/deliveries/endpoint-store.test.ts": files("endpoint-row endpoint-writes"),
    "test/shared/aws/deliveries/outbox-store.test.ts": files(
      "outbox-claim outbox-entry outbox-writes",
    ),
    "test/shared/events/event-archive.test.ts": files("event-bodies"),
  },
  "shared/aws/exports/": {
    "test/shared/aws/exports/customer-bucket.test.ts": files("bucket-failure"),
    "test/shared/exports/export-session.test.ts": files("export-log"),
    "test/shared/aws/exports/role-credentials.test.ts": files(
      "cached-role-credentials failure-reason",
    ),
  },
  "shared/aws/sources/": {
    "test/shared/aws/sources/secret-reader.test.ts": files("parameters secrets-manager"),
  },
  "shared/aws/history/": {
    "test/shared/aws/history/history-store.test.ts": files(
      "guarded-writes history-bounds item-buckets item-points kept-runs line-chunks listed-runs merge-window",
      "run-rows runs-at segment-rows window-lines",
    ),
  },
  "shared/aws/ledger/": {
    "test/shared/aws/accounts/daily-budget-store.test.ts": files("daily-budget"),
    "test/shared/aws/ledger/copy-journal.test.ts": files(
      "change-shard journal-page journal-row read-pages",
    ),
    "test/shared/aws/ledger/credit-history.test.ts": files(
      "entry-row entry-streams final-shards find-entries transfers",
    ),
    "test/shared/aws/ledger/ledger.test.ts": files(
      "cancel-hold due-marks find-call prepare-home-shard hold-row process read-shards",
      "reserve-call row-holds settle-call shard-row shard-update",
    ),
    "test/shared/aws/ledger/moving-shards.test.ts": files("open-shards"),
  },
  "shared/aws/queues/": {
    "test/functions/backtest-runner/handler.test.ts": files("backtest-queue"),
    "test/functions/products/slow-ledger.test.ts": files("cancel-queue"),
    "test/shared/publishing/publish-run.test.ts": files("outbox-queue"),
  },
  "shared/aws/runs/": {
    "test/shared/runs/run-brake.test.ts": files("items-before run-hold"),
    "test/shared/aws/runs/run-store.test.ts": files("run-phase run-row"),
    "test/shared/aws/runs/step-store.test.ts": files(
      "compressed result-details step-batch step-decision step-progress",
    ),
  },
  "shared/aws/table/": {
    "test/shared/aws/table/short-pages.test.ts": files("query-rows table"),
    "test/shared/aws/table/versioned-client.test.ts": files("convert-row versioned-writes"),
  },
  "shared/aws/watchlists/": {
    "test/shared/aws/watchlists/page-store.test.ts": files("page-reader"),
    "test/shared/aws/watchlists/purge-store.test.ts": files("watchlist-lifecycle"),
    "test/shared/aws/watchlists/watchlist-store.test.ts": files("watchlist-row"),
  },
  "shared/backtest/": {
    "test/functions/watchlists/backtest.test.ts": files("backtest-request"),
    "test/shared/backtest/backtest-job.test.ts": files("run-backtest-job start-backtest"),
    "test/shared/backtest/backtest.slow.test.ts": files(
      "known-values past-lives past-reads past-run past-runs past-steps present-backtest",
    ),
  },
  "shared/base/": {
    "test/functions/webhook-endpoints/deliveries.test.ts": files("limit-param iso-time"),
    "test/functions/http/group-handler.test.ts": files("call-time"),
    "test/functions/s3-destination/operations.test.ts": files("id-param"),
    "test/functions/watchlists/read.test.ts": files("integer-param"),
    "test/lib/constructs/method-limits.test.ts": files("transport-security"),
    "test/shared/sources/registry/configuration.test.ts": files("loopback"),
    "test/shared/aws/accounts/daily-budget-store.test.ts": files("day"),
    "test/shared/aws/accounts/key-admission.test.ts": files("system"),
    "test/shared/base/ids.test.ts": files("assert"),
    "test/shared/runs/item-details.test.ts": files("after-change"),
    "test/shared/base/retry-budget.test.ts": files("best-effort limits"),
    "test/shared/base/stored-kinds.test.ts": files("table-schema"),
    "test/shared/items/offer-check-request.test.ts": files("visible-text"),
    "test/shared/items/offers-result.test.ts": files("wire-schema"),
    "test/shared/pipelines/decide-route.test.ts": files("duration"),
    "test/shared/sources/http/in-batches.test.ts": files("in-parallel"),
    "test/tools/documents/error-guide.test.ts": files("errors"),
  },
  "shared/credits/": {
    "test/functions/account/operations.test.ts": files("credit-transaction-schema"),
    "test/shared/aws/ledger/credit-history.test.ts": files("ledger"),
    "test/shared/credits/list-transactions.test.ts": files("entry-id"),
    "test/shared/items/read-products.test.ts": files("charge"),
    "test/shared/watchlists/forecast.test.ts": files("forecast"),
  },
  "shared/cron/": {
    "test/shared/cron/occurrences.test.ts": files("zone"),
    "test/shared/cron/parse-cron.test.ts": files("zone-aliases"),
    "test/shared/cron/samples.test.ts": files("fields"),
  },
  "shared/event-bus/": {
    "test/shared/aws/event-bus/event-bus.test.ts": files("event-bus"),
    "test/shared/event-bus/bus-session.test.ts": files("bus-outbox entry-of-event send-run"),
  },
  "shared/events/": {
    "test/functions/events/event.test.ts": files("find-event"),
    "test/functions/events/list.test.ts": files("event-list-schema feed-start list-events"),
    "test/functions/s3-destination/operations.test.ts": files("kept-span"),
    "test/shared/events/event-archive.test.ts": files("event snapshot-file"),
    "test/shared/exports/export-session.test.ts": files("event-digest"),
  },
  "shared/exports/": {
    "test/functions/s3-destination/operations.test.ts": files(
      "delete-destination export-schema list-exports pending-exports start-backfill",
    ),
    "test/shared/aws/exports/export-store.test.ts": files("export-record"),
    "test/shared/exports/check-destination.test.ts": files(
      "destination destination-body destination-fault destination-schema open-bucket",
      "put-destination test-destination",
    ),
    "test/shared/exports/export-session.test.ts": files(
      "backfill export-entries export-run manifest ready-destination run-export write-run",
    ),
    "test/shared/exports/rows-file.test.ts": files("parquet-file"),
    "test/scripts/openapi/document.test.ts": files("manifest-schema"),
    "test/shared/exports/retry-pending.test.ts": files(
      "change-destination present request-retry store-address",
      "wanted-credentials",
    ),
  },
  "shared/history/": {
    "test/functions/watchlists/backtest.test.ts": files("history-span"),
    "test/functions/watchlists/history.test.ts": files(
      "changes-query item-history last-known observed-fields present-history queries",
      "run-changes runs-by-time",
    ),
    "test/shared/history/merge-history.test.ts": files("history kept-history window"),
    "test/shared/history/ranked-changes.test.ts": files("change-cursor period-changes"),
    "test/shared/runs/run-history.test.ts": files("point-lines"),
  },
  "shared/items/": {
    "test/functions/products/read-sandbox.test.ts": files("sandbox-products"),
    "test/shared/items/check-offers.test.ts": files("offer-check-result offer-prices"),
    "test/shared/items/metered-read.test.ts": files("envelope"),
    "test/shared/items/offers-result.test.ts": files("offer-envelope"),
    "test/shared/items/read-products.test.ts": files("product"),
    "test/shared/items/request.test.ts": files("max-credits"),
    "test/shared/runs/run-metrics.test.ts": files("item-metrics"),
  },
  "shared/messages/": {
    "test/shared/messages/queue-messages.test.ts": files(
      "backtests-queue deliveries-queue finishes-queue runs-queue steps-queue",
    ),
  },
  "shared/observability/": {
    "test/functions/delivery/log-run.test.ts": files("work-log"),
    "test/shared/observability/metrics.test.ts": files("metric-names"),
    "test/shared/observability/metric-line.test.ts": files("service-logger"),
  },
  "shared/outbox/": {
    "test/functions/webhook-endpoints/deliveries.test.ts": files("merged-page"),
    "test/shared/exports/export-session.test.ts": files("noted-slice"),
    "test/shared/outbox/drain.test.ts": files("attempt-counts entry-list lease outbox recorder"),
    "test/shared/publishing/publish-run.test.ts": files("wake-due"),
  },
  "shared/outgoing/": {
    "test/functions/webhook-endpoints/operations.test.ts": files("probe-limit"),
    "test/shared/outgoing/guarded-connection.test.ts": files("exchange-attempt guarded-agents"),
  },
  "shared/pipelines/": {
    "test/shared/pipelines/parse.test.ts": files("check-paths"),
  },
  "shared/platforms/": {
    "test/shared/items/request.test.ts": files("shop-fields"),
    "test/shared/platforms/catalog.test.ts": files("endpoints marketplaces"),
    "test/shared/source-health/health-window.test.ts": files("health-status"),
  },
  "shared/played-runs/": {
    "test/shared/backtest/backtest.slow.test.ts": files(
      "event-entries memory-ledger memory-pages memory-run play-run",
    ),
  },
  "shared/preview/": {
    "test/functions/watchlists/preview.test.ts": files("preview-request"),
    "test/shared/preview/preview.test.ts": files("present-preview"),
  },
  "shared/runs/": {
    "test/shared/runs/pipeline-runs.test.ts": files("read-step"),
    "test/functions/account/operations.test.ts": files("forecast-runs"),
    "test/functions/watchlists/decide-hold.test.ts": files("discard-request held-changes"),
    "test/functions/watchlists/read.test.ts": files("present-run queries run-progress"),
    "test/scripts/openapi/descriptions.test.ts": files("run-schema"),
    "test/shared/runs/claim-due-run.test.ts": files("claim-run"),
    "test/shared/runs/item-details.test.ts": files("batch-details product-facts"),
    "test/shared/runs/outcome.test.ts": files(
      "apply-outcome item-outcome readings-after route-states-after",
    ),
    "test/shared/runs/run-brake.test.ts": files("compared-items decide-hold discard-run hold"),
    "test/shared/runs/run-engine.test.ts": files(
      "abandon-run advance-run complete-step finish-run",
      "batch read-batch reserve-step resume-run run-outcomes start-run store-outcomes",
    ),
    "test/shared/runs/run-events.test.ts": files("run"),
    "test/shared/runs/run-history.test.ts": files("run-watchlist"),
    "test/shared/runs/source-shape.test.ts": files("run-totals"),
  },
  "shared/scrapers/": {
    "test/shared/scrapers/snapshot.test.ts": files("catalog fields offer scraper"),
    "test/shared/sources/sandbox/scraper.test.ts": files("reserved-ids"),
    "test/shared/watchlists/item-columns.test.ts": files("shared-fields"),
  },
  "shared/sources/affiliate/": {
    "test/shared/sources/affiliate/item.test.ts": files("fields"),
    "test/shared/sources/affiliate/scraper.test.ts": files("signature"),
  },
  "shared/sources/catalog/": {
    "test/shared/sources/catalog/scraper.test.ts": files("forbidden"),
  },
  "shared/sources/contract/": {
    "test/shared/sources/affiliate/item.test.ts": files("defined foreign-value"),
    "test/shared/sources/affiliate/scraper.test.ts": files("status-problem"),
    "test/shared/sources/catalog/scraper.test.ts": files("reply-json"),
    "test/shared/sources/registry/configuration.test.ts": files("secret-reference"),
    "test/shared/sources/registry/one-source.slow.test.ts": files("open-secret"),
    "test/shared/sources/upstream/reply.test.ts": files("reading-age reply-error"),
  },
  "shared/sources/http/": {
    "test/shared/sources/http/polite-client.test.ts": files(
      "circuit retry-tokens slots source-state try-once",
    ),
  },
  "shared/sources/price-history/": {
    "test/shared/sources/price-history/fields.test.ts": files(
      "condition details listing product value",
    ),
    "test/shared/sources/price-history/offer-check.test.ts": files("offer offer-id offer-lookup"),
    "test/shared/sources/price-history/scraper.test.ts": files(
      "account domain parse-products sellers source",
    ),
  },
  "shared/sources/registry/": {
    "test/shared/sources/registry/configuration.test.ts": files("adapter-options name"),
    "test/shared/sources/registry/one-source.slow.test.ts": files("report"),
    "test/shared/sources/registry/scraper-sources.test.ts": files(
      "load-adapters offer-sources parts reported",
    ),
  },
  "shared/sources/registry/adapters/": {
    "test/shared/sources/registry/scraper-sources.test.ts": files(
      "affiliate catalog price-history sandbox storefront upstream web",
    ),
  },
  "shared/sources/sandbox/": {
    "test/shared/sources/sandbox/offers.test.ts": files("offer status"),
    "test/shared/sources/sandbox/retailer-a.test.ts": files(
      "catalog draw retailer-a-details retailer-a-offers retailer-a-script script",
    ),
    "test/shared/sources/sandbox/scraper.test.ts": files(
      "retailer-a-fields retailer-b retailer-c retailer-d",
    ),
  },
  "shared/sources/upstream/": {
    "test/shared/sources/upstream/scraper.test.ts": files("exchange"),
    "test/shared/sources/upstream/shape.test.ts": files("contract result-data"),
  },
  "shared/sources/web/": {
    "test/shared/sources/web/amount.test.ts": files("text-boundary"),
    "test/shared/sources/web/extract-product.property.test.ts": files("availability-word"),
    "test/shared/sources/web/extract-product.test.ts": files(
      "block-page breadcrumb choose-product json-ld-blocks json-ld-nodes json-object once",
      "fallback-facts microdata open-graph page-currency page-head plain-text",
      "product-candidates product-facts scripts wanted-product",
    ),
    "test/shared/sources/web/offer-price.test.ts": files("choose-offer currency-word schema-node"),
    "test/shared/sources/web/options.test.ts": files("address"),
    "test/shared/sources/web/scraper.test.ts": files(
      "answer block-answer fields follow page-text robots",
    ),
  },
  "shared/sources/web/rules/": {
    "test/shared/sources/web/extract-rules.test.ts": files(
      "extract-option rule rule-document rule-facts rule-texts rule-values",
    ),
  },
  "shared/sources/web/state/": {
    "test/shared/sources/web/embedded-state.test.ts": files(
      "embedded-values scripted-amounts state-product",
    ),
  },
  "shared/sources/web/visible/": {
    "test/shared/sources/web/scraper.test.ts": files("price-forest"),
    "test/shared/sources/web/visible-text.test.ts": files(
      "controls forest learned-price outline page-body price-features shown-amounts",
      "shown-price shows-amount stock text-marks titles visible-page words",
    ),
  },
  "shared/source-health/": {
    "test/shared/source-health/health-window.test.ts": files("health-store"),
    "test/shared/source-health/present-sources.test.ts": files("tier-health"),
  },
  "shared/sources/storefront/": {
    "test/shared/sources/storefront/fields.test.ts": files(
      "catalog-reply item-id minor-units product",
    ),
    "test/shared/sources/storefront/scraper.test.ts": files(
      "business-profile endpoint exchange tool-call tool-reply",
    ),
  },
  "shared/watchlists/": {
    "test/functions/watchlists/change-items.test.ts": files("id-list"),
    "test/functions/watchlists/history.test.ts": files("find-item"),
    "test/functions/watchlists/create.test.ts": files(
      "brake-setting claim-creation create-watchlist idempotency named-endpoint",
      "refresh-setting request settings watchlist watchlist-schema",
    ),
    "test/functions/watchlists/credit-limits.test.ts": files("blocking-limit"),
    "test/functions/watchlists/delete.test.ts": files("delete-watchlist purge-watchlist"),
    "test/functions/watchlists/endpoint-binding.test.ts": files("endpoint-binding"),
    "test/functions/watchlists/read.test.ts": files(
      "all-items estimate queries schedule-preview search-items stock-items",
    ),
    "test/functions/watchlists/update.test.ts": files(
      "change-watchlist present-watchlist update-request update-watchlist",
    ),
    "test/shared/aws/watchlists/details-pages.test.ts": files("details-page"),
    "test/shared/runs/run-now.test.ts": files("retry-lost-change"),
    "test/shared/watchlists/change-items.test.ts": files(
      "item-details items-request rewrite-items",
    ),
    "test/shared/watchlists/item-columns.test.ts": files("item"),
    "test/shared/watchlists/list-items.test.ts": files("arrange-items present-item read-items"),
    "test/shared/watchlists/schedule.test.ts": files("schedules"),
  },
  "shared/webhooks/": {
    "test/scripts/openapi/test-events.test.ts": files("sample-events"),
    "test/functions/events/event.test.ts": files("send-event"),
    "test/functions/webhook-endpoints/deliveries.test.ts": files(
      "recover-deliveries delivery-schema list-deliveries present-delivery redeliver show-delivery",
    ),
    "test/functions/webhook-endpoints/operations.test.ts": files(
      "create-endpoint delete-endpoint endpoint-schema existing present rotate-secret",
      "show-endpoint test-endpoint update-endpoint",
    ),
    "test/functions/webhook-endpoints/pending.test.ts": files("pending-deliveries"),
    "test/shared/publishing/publish-run.test.ts": files("run-receivers"),
    "test/shared/webhooks/disable-endpoint.test.ts": files("change-endpoint endpoint"),
    "test/shared/webhooks/signature.test.ts": files("secret"),
    "test/shared/webhooks/webhook-session.test.ts": files(
      "attempt-delivery delivery delivery-attempt delivery-log endpoint-health",
      "first-attempt-gate first-attempts outbox-entries",
      "request-headers retry-delivery",
    ),
  },
  "tools/command-line/": {
    "test/tools/command-line/command-line.test.ts": files("command-group failure progress"),
    "test/scripts/check-upstream.slow.test.ts": files("whole-number"),
  },
  "tools/credits/": {
    "test/functions/account/operations.test.ts": files("change-credits"),
    "test/shared/aws/ledger/credit-history.test.ts": files("dynamo-credit-changes spread-credits"),
  },
  "tools/customer/": {
    "test/dashboard/exports.test.ts": files("bucket"),
    "test/world/demo-workspace.slow.test.ts": files("api-client"),
  },
  "tools/dashboard/": {
    "test/dashboard/pieces.test.ts": files("assets chromium"),
  },
  "tools/documents/": {
    "test/scripts/openapi/descriptions.test.ts": files("json-schema"),
    "test/tools/documents/error-guide.test.ts": files("errors-page"),
  },
  "tools/documents/examples/": {
    "test/scripts/openapi/examples.slow.test.ts": files(
      "account events items sources watchlists webhooks",
    ),
  },
  "tools/dynamodb/": {
    "test/sim/contention.test.ts": files("conflicts"),
  },
  "tools/sources/storefront/": {
    "test/tools/sources/storefront/reachable-stores.test.ts": files("store-client"),
    "test/tools/sources/storefront/server.test.ts": files(
      "catalog misbehaviors official-schemas profile-reader profile-server replies",
    ),
  },
  "tools/local/": {
    "test/tools/local/dynamo-server.test.ts": files("data-folder"),
    "test/tools/local/event-bus-endpoint.test.ts": files("event-bus-rules event-pattern"),
    "test/tools/local/gateway.test.ts": files(
      "gateway-responses path-tree proxy-event request-body response-stream",
    ),
    "test/tools/local/run-progress.test.ts": files("table-definition"),
    "test/tools/local/running-world.test.ts": files("ready-file"),
    "test/tools/local/scheduler-endpoint.test.ts": files("schedule-clock schedule-store"),
    "test/tools/local/template.test.ts": files("local-names"),
    "test/tools/local/webhook-receiver.test.ts": files("local-server"),
    "test/tools/local/world.slow.test.ts": files(
      "aws-environment buckets queue-poller queue-server queues seed synthesize tables",
    ),
    "test/world/event-bus.slow.test.ts": files("event-bus"),
  },
  "tools/migrations/": {
    "test/tools/migrations/migrations.test.ts": files("merge-second-rows migration run-migration"),
  },
  "tools/past/": { "test/scripts/demo/lists.test.ts": files("items-by-category") },
  "tools/reconcile/checks/": {
    "test/tools/reconcile/checks/shards.slow.test.ts": files(
      "accounts deliveries feed ledger lists old-ledger unreadable",
    ),
  },
  "tools/reconcile/readers/": {
    "test/tools/reconcile/readers/readers.test.ts": files(
      "accounts deliveries ledger lists rows shards",
    ),
  },
  "tools/reconcile/rules/": {
    "test/tools/reconcile/checks/shards.slow.test.ts": files("shard-fold shards"),
    "test/tools/reconcile/inconsistencies.slow.test.ts": files(
      "budget delivery feed list runs target",
    ),
    "test/tools/reconcile/rules/account.test.ts": files("difference mark"),
  },
  "tools/sources/upstream/": {
    "test/scripts/check-upstream.slow.test.ts": files("misbehaviors secret-option"),
    "test/scripts/upstream-server.test.ts": files("parse-call sandbox-results server"),
  },
  "tools/stand-ins/": {
    "test/shared/aws/deliveries/secret-box.test.ts": files("memory-secret-box"),
    "test/shared/exports/duckdb.slow.test.ts": files("run-of-changes"),
    "test/shared/runs/run-events.test.ts": files("results-in"),
    "test/shared/outgoing/guarded-connection-receivers.test.ts": files("self-signed"),
    "test/tools/labeled-pages/grow-forest.test.ts": files("seeded"),
  },
};

/**
 * The tests of the dashboard. They open the bundle in a browser, so their imports do not lead to
 * the files. The entry of a folder also covers its subfolders that have no entry.
 */
export const openedInBrowser: Readonly<Record<string, string>> = {
  "functions/dashboard/browser/": "test/dashboard/session.test.ts",
  "functions/dashboard/browser/api/": "test/dashboard/focus-and-failures.test.ts",
  "functions/dashboard/browser/format/": "test/dashboard/overview-and-keys.test.ts",
  "functions/dashboard/browser/pages/changes/": "test/dashboard/changes.test.ts",
  "functions/dashboard/browser/pages/exports/": "test/dashboard/exports.test.ts",
  "functions/dashboard/browser/pages/keys/": "test/dashboard/overview-and-keys.test.ts",
  "functions/dashboard/browser/pages/overview/": "test/dashboard/overview-and-keys.test.ts",
  "functions/dashboard/browser/pages/try/": "test/dashboard/try.test.ts",
  "functions/dashboard/browser/pages/watchlists/": "test/dashboard/watchlists.test.ts",
  "functions/dashboard/browser/pages/webhooks/": "test/dashboard/webhooks.test.ts",
  "functions/dashboard/browser/shell/": "test/dashboard/leaving.test.ts",
  "functions/dashboard/browser/ui/": "test/dashboard/pieces.test.ts",
};

/** Files that a check runs as a process or in a bundle, so its imports do not lead to them. */
export const runBy: Readonly<Record<string, string>> = {
  "lib/app.ts": ".ci/run",
  "shared/aws/sdk/environment-credentials.ts": "test/lib/bundles.slow.test.ts",
  "shared/aws/sdk/node-http.ts": "test/lib/bundles.slow.test.ts",
  "tools/contract/command.ts": ".ci/nightly",
  "tools/contract/world.ts": ".ci/nightly",
  "tools/local/fresh-world.ts": ".ci/nightly",
  "tools/local/temporary-dynamo.ts": "test/support/dynamodb.ts",
  "tools/past/invented-past.ts": "test/world/demo-workspace.slow.test.ts",
  "tools/past/write-charges.ts": "test/world/demo-workspace.slow.test.ts",
  "tools/past/write-results.ts": "test/world/demo-workspace.slow.test.ts",
};
