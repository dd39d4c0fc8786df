import type { FeedSources } from "../../shared/events/feed-start.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../overrides.ts";
import { listRoute } from "./list.ts";

export type EventsDependencies = FeedSources;

export function createHandler(
  environment: EnvironmentOf<"events">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "events",
    routes: { "GET /v1/events": listRoute },
    dependencies: {
      ...provide.edge(environment, "events", overrides),
      ...provide.eventSources(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("events", process.env)),
);
