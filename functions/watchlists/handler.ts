import type { Chance } from "../../shared/base/clock.ts";
import type { Warn } from "../../shared/base/hint.ts";
import type { RunQueue } from "../../shared/runs/run-queue.ts";
import type { RunStore } from "../../shared/runs/run-store.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import { createRoute } from "./create.ts";
import { getRoute } from "./get.ts";
import { listItemsRoute } from "./list-items.ts";
import { listRunsRoute } from "./list-runs.ts";
import { listRoute } from "./list.ts";
import { runNowRoute } from "./run-now.ts";

export interface WatchlistDependencies {
  readonly watchlists: WatchlistStore;
  readonly runs: RunStore;
  readonly queue: RunQueue;
  readonly schedules: Schedules;
  readonly endpoints: EndpointStore;
  readonly chance: Chance;
  readonly warn: Warn;
}

export function createHandler(environment: EnvironmentOf<"watchlists">): HttpHandler {
  const edge = provide.edge(environment, "watchlists");
  return groupHandler({
    group: "watchlists",
    routes: {
      "GET /v1/watchlists": listRoute,
      "POST /v1/watchlists": createRoute,
      "GET /v1/watchlists/{id}": getRoute,
      "POST /v1/watchlists/{id}/run": runNowRoute,
      "GET /v1/watchlists/{id}/runs": listRunsRoute,
      "GET /v1/watchlists/{id}/items": listItemsRoute,
    },
    dependencies: {
      ...edge,
      warn: provide.warnThrough(edge.logger),
      watchlists: provide.watchlists(environment),
      runs: provide.runs(environment),
      queue: provide.runQueue(environment),
      schedules: provide.schedules(environment),
      endpoints: provide.endpoints(environment),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("watchlists", process.env)),
);
