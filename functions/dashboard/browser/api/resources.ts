/**
 * The types of the API's responses, inferred from the schemas that also generate the OpenAPI
 * document. Only types are imported, so the bundle contains no code of the service.
 */
import type { InferOutput } from "valibot";
import type { accountResponse } from "../../../../shared/accounts/account-schema.ts";
import type {
  apiKeySchema,
  apiKeyWithKeySchema,
} from "../../../../shared/accounts/api-key-schema.ts";
import type { usageResponse } from "../../../../shared/accounts/usage-schema.ts";
import type { backtestJobResponse } from "../../../../shared/backtest/backtest-job.ts";
import type { backtestResponse } from "../../../../shared/backtest/present-backtest.ts";
import type { creditTransactionSchema } from "../../../../shared/credits/credit-transaction-schema.ts";
import type { backfillResponse } from "../../../../shared/exports/start-backfill.ts";
import type {
  destinationSchema,
  destinationTestResponse,
} from "../../../../shared/exports/destination-schema.ts";
import type { exportSchema, exportsResponse } from "../../../../shared/exports/export-schema.ts";
import type {
  presentChanges,
  presentItemHistory,
} from "../../../../shared/history/present-history.ts";
import type { pipelineSchema } from "../../../../shared/pipelines/pipeline-schema.ts";
import type { scrapersResponse } from "../../../../shared/pipelines/present-scrapers.ts";
import type { platformSchema } from "../../../../shared/platforms/present-platform.ts";
import type { sourceSchema } from "../../../../shared/source-health/present-sources.ts";
import type { runSchema } from "../../../../shared/runs/run-schema.ts";
import type { schedulePreviewResponse } from "../../../../shared/watchlists/schedule-preview.ts";
import type { estimateResponse } from "../../../../shared/watchlists/estimate.ts";
import type {
  foundItemSchema,
  itemChangeResponse,
  watchlistItemSchema,
  watchlistSchema,
} from "../../../../shared/watchlists/watchlist-schema.ts";
import type {
  webhookDeliverySchema,
  webhookDeliveryWithAttemptsSchema,
} from "../../../../shared/webhooks/delivery-schema.ts";
import type {
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
  webhookRecoveryResponse,
  webhookTestResponse,
} from "../../../../shared/webhooks/endpoint-schema.ts";

/** A page of a listing. */
export interface List<Entry> {
  readonly data: readonly Entry[];
  /** True if further pages follow. */
  readonly has_more: boolean;
  /**
   * The cursor of the next page, in listings whose pages may be shorter than requested. Null on the
   * last page.
   */
  readonly next_starting_after?: string | null;
  /** The cursor of the next page of the event feed. */
  readonly next_after?: string | null;
}

export type Account = InferOutput<typeof accountResponse>;
export type Usage = InferOutput<typeof usageResponse>;
export type CreditTransaction = InferOutput<typeof creditTransactionSchema>;
export type ApiKey = InferOutput<typeof apiKeySchema>;
export type ApiKeyWithKey = InferOutput<typeof apiKeyWithKeySchema>;

export type Source = InferOutput<typeof sourceSchema>;

export type Platform = InferOutput<typeof platformSchema>;

export type Watchlist = InferOutput<typeof watchlistSchema>;
export type FoundItem = InferOutput<typeof foundItemSchema>;
export type WatchlistItem = InferOutput<typeof watchlistItemSchema>;
export type WatchlistRun = InferOutput<typeof runSchema>;
export type Pipeline = InferOutput<typeof pipelineSchema>;
export type Scrapers = InferOutput<typeof scrapersResponse>;
export type WatchlistEstimate = InferOutput<typeof estimateResponse>;
export type WatchlistItemChange = InferOutput<typeof itemChangeResponse>;
export type SchedulePreview = InferOutput<typeof schedulePreviewResponse>;

export type Backtest = InferOutput<typeof backtestResponse>;
export type BacktestJob = InferOutput<typeof backtestJobResponse>;

export type HistoryPoint = ReturnType<typeof presentItemHistory>["data"][number];
export type FieldChange = ReturnType<typeof presentChanges>["data"][number];

export type WebhookEndpoint = InferOutput<typeof webhookEndpointSchema>;
export type WebhookEndpointWithSecret = InferOutput<typeof webhookEndpointWithSecretSchema>;
export type WebhookTest = InferOutput<typeof webhookTestResponse>;
export type WebhookRecovery = InferOutput<typeof webhookRecoveryResponse>;
export type WebhookDelivery = InferOutput<typeof webhookDeliverySchema>;
export type WebhookDeliveryWithAttempts = InferOutput<typeof webhookDeliveryWithAttemptsSchema>;

export type S3Destination = InferOutput<typeof destinationSchema>;
export type S3DestinationTest = InferOutput<typeof destinationTestResponse>;
export type S3Export = InferOutput<typeof exportSchema>;
/** The listing of exports. */
export type S3Exports = InferOutput<typeof exportsResponse>;
export type S3Backfill = InferOutput<typeof backfillResponse>;
