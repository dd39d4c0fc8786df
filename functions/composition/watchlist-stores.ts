/** The stores in the watchlists table. */
import { dynamoBacktestStore } from "../../shared/aws/backtest/backtest-store.ts";
import { dynamoIdempotencyStore } from "../../shared/aws/watchlists/idempotency-store.ts";
import { dynamoHistoryStore } from "../../shared/aws/history/history-store.ts";
import { cachedStockStore } from "../../shared/aws/watchlists/cached-stock.ts";
import { dynamoPageStore } from "../../shared/aws/watchlists/page-store.ts";
import { dynamoPurgeStore } from "../../shared/aws/watchlists/purge-store.ts";
import { dynamoRunStore } from "../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import { dynamoWatchlistStore } from "../../shared/aws/watchlists/watchlist-store.ts";
import type { BacktestStore } from "../../shared/backtest/backtest-store.ts";
import type { HistoryStore } from "../../shared/history/history-store.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import type { StepStore } from "../../shared/runs/step-store.ts";
import type { IdempotencyStore } from "../../shared/watchlists/idempotency.ts";
import type { PageStore, StockStore } from "../../shared/watchlists/page-store.ts";
import type { PurgeStore } from "../../shared/watchlists/purge-store.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";
import { dynamo } from "./process.ts";
import type { Needs } from "../environment.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";
import { versionsToWrite } from "./written-versions.ts";

type WatchlistNeeds = Needs<"WATCHLISTS_TABLE">;

const watchlistsTable = (environment: WatchlistNeeds, overrides: Overrides) => ({
  table: environment.WATCHLISTS_TABLE,
  ...timeAndRandom(overrides),
});

/**
 * Creates the store of watchlists.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const watchlists = (environment: WatchlistNeeds, overrides: Overrides): WatchlistStore =>
  dynamoWatchlistStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of the pages with the items and details of watchlists.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const pages = (environment: WatchlistNeeds, overrides: Overrides): PageStore =>
  dynamoPageStore(dynamo(overrides), {
    ...watchlistsTable(environment, overrides),
    writesSecondRows: versionsToWrite(overrides) === "next",
  });

/**
 * Creates the store that lists the items out of stock.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const stockItems = (environment: WatchlistNeeds, overrides: Overrides): StockStore =>
  cachedStockStore(
    { client: dynamo(overrides), ...watchlistsTable(environment, overrides) },
    pages(environment, overrides),
  );

/**
 * Creates the store of the idempotency keys of watchlist creations.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const idempotencyKeys = (
  environment: WatchlistNeeds,
  overrides: Overrides,
): IdempotencyStore =>
  dynamoIdempotencyStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of back-tests that run as jobs.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const backtests = (environment: WatchlistNeeds, overrides: Overrides): BacktestStore =>
  dynamoBacktestStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of the purge marks of deleted watchlists.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const purges = (environment: WatchlistNeeds, overrides: Overrides): PurgeStore =>
  dynamoPurgeStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of runs.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const runs = (environment: WatchlistNeeds, overrides: Overrides): RunStore =>
  dynamoRunStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of the steps and batches of runs.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const steps = (environment: WatchlistNeeds, overrides: Overrides): StepStore =>
  dynamoStepStore(dynamo(overrides), watchlistsTable(environment, overrides));

/**
 * Creates the store of the history of watchlist items.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const history = (environment: WatchlistNeeds, overrides: Overrides): HistoryStore =>
  dynamoHistoryStore(dynamo(overrides), watchlistsTable(environment, overrides));
