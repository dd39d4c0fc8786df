import type { Pipeline } from "../../shared/pipelines/definition.ts";
import type { Platform } from "../../shared/platforms/catalog.ts";
import type { ReadStatus } from "../../shared/scrapers/scraper.ts";
import type { ItemState } from "../../shared/watchlists/item.ts";
import type { ModelRouteStates } from "./route.ts";
import type { ItemLooks } from "./answers.ts";
import type { ItemGiven, ModelDetails } from "./details.ts";
import type { Known } from "./fields.ts";
import type { ModelRetry } from "./retries.ts";
import type { Changes } from "./read.ts";

/** A watchlist of the model. */
export interface ModelWatchlist {
  readonly platform: Platform;
  pipeline: Pipeline;
  /** The items, sorted by ID. */
  readonly items: ModelItem[];
  runCount: number;
  skips: number;
  /** True from a skipped refresh until the next run that completes. */
  isRefreshDue: boolean;
  paused: boolean;
}

export interface ModelItem {
  readonly id: string;
  readonly looks: ItemLooks;
  readonly given: ItemGiven;
  details: ModelDetails;
  state: ItemState;
  known: Known;
  /** What each route of the pipeline stores about the item. */
  routeStates: ModelRouteStates;
  /** The ID of the last known offer in the buy box; null if there is none. */
  offer: string | null;
  lastReadStatus: ReadStatus | null;
  failures: number;
  owes: readonly ModelRetry[];
  lastChange: {
    readonly runNumber: number;
    readonly step: string;
    readonly scraper: string;
    readonly changes: Changes;
  } | null;
}
