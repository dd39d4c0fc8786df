import { accountResponse } from "../../shared/accounts/account-schema.ts";
import { apiKeySchema } from "../../shared/accounts/api-key-schema.ts";
import { usageResponse } from "../../shared/accounts/usage-schema.ts";
import { backtestJobResponse } from "../../shared/backtest/backtest-job.ts";
import { backtestResponse } from "../../shared/backtest/present-backtest.ts";
import { errorSchema } from "../../shared/base/wire-schema.ts";
import { creditTransactionSchema } from "../../shared/credits/credit-transaction-schema.ts";
import { destinationSchema } from "../../shared/exports/destination-schema.ts";
import {
  changesSchema,
  pipelineSchema,
  snapshotSchema,
} from "../../shared/pipelines/pipeline-schema.ts";
import { offerCheckResultSchema } from "../../shared/items/offer-check-result.ts";
import { offersResultSchema } from "../../shared/items/offers-result.ts";
import { productResultSchema } from "../../shared/items/product.ts";
import { platformSchema } from "../../shared/platforms/present-platform.ts";
import { sourceSchema } from "../../shared/source-health/present-sources.ts";
import { offerSchema } from "../../shared/scrapers/offer.ts";
import { eventSchemas } from "./event-schema.ts";
import { fieldChangeSchema, historyPointSchema } from "./history-schema.ts";
import { runSchema } from "../../shared/runs/run-schema.ts";
import {
  cronScheduleSchema,
  everyScheduleSchema,
  scheduleSchema,
  watchlistItemSchema,
  watchlistSchema,
} from "../../shared/watchlists/watchlist-schema.ts";
import { webhookDeliverySchema } from "../../shared/webhooks/delivery-schema.ts";
import { webhookEndpointSchema } from "../../shared/webhooks/endpoint-schema.ts";

/**
 * The schemas that the document defines once and refers to by name: resources, and parts that
 * several resources share.
 */
export const named = {
  Error: errorSchema,
  Watchlist: watchlistSchema,
  WatchlistSchedule: scheduleSchema,
  EverySchedule: everyScheduleSchema,
  CronSchedule: cronScheduleSchema,
  WatchlistItem: watchlistItemSchema,
  HistoryPoint: historyPointSchema,
  FieldChange: fieldChangeSchema,
  WatchlistRun: runSchema,
  Pipeline: pipelineSchema,
  Backtest: backtestResponse,
  BacktestJob: backtestJobResponse,
  Snapshot: snapshotSchema,
  Changes: changesSchema,
  WebhookEndpoint: webhookEndpointSchema,
  WebhookDelivery: webhookDeliverySchema,
  ProductChangedEvent: eventSchemas["watchlist.product.changed"],
  ProductMatchedEvent: eventSchemas["watchlist.product.matched"],
  ProductDelistedEvent: eventSchemas["watchlist.product.delisted"],
  RunCompletedEvent: eventSchemas["watchlist.run.completed"],
  WebhookTestEvent: eventSchemas["webhook.test"],
  S3Destination: destinationSchema,
  ProductResult: productResultSchema,
  OffersResult: offersResultSchema,
  Offer: offerSchema,
  OfferCheckResult: offerCheckResultSchema,
  Platform: platformSchema,
  Account: accountResponse,
  Usage: usageResponse,
  CreditTransaction: creditTransactionSchema,
  ApiKey: apiKeySchema,
  Source: sourceSchema,
};
