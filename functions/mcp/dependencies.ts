import type { StartBacktestDependencies } from "../../shared/backtest/start-backtest.ts";
import type { ReadOffersDependencies } from "../../shared/items/read-offers.ts";
import type { ReadProductsDependencies } from "../../shared/items/read-products.ts";
import type { AccountViewDependencies } from "../account/dependencies.ts";
import type { MiddlewareDependencies } from "../http/group-handler.ts";
import type { PlatformDependencies } from "../platforms/list.ts";
import type { WatchlistDependencies } from "../watchlists/dependencies.ts";

/** The dependencies of the routes that the tools call. */
export type McpDependencies = MiddlewareDependencies &
  AccountViewDependencies &
  PlatformDependencies &
  ReadOffersDependencies &
  ReadProductsDependencies &
  StartBacktestDependencies &
  WatchlistDependencies & {
    /** The custom domain of the API; undefined if there is none. */
    readonly domainName: string | undefined;
  };
