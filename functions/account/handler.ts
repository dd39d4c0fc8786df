import type { AccountStore } from "../../shared/accounts/account-store.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import { getRoute } from "./get.ts";

export interface AccountDependencies {
  readonly accounts: AccountStore;
  readonly endpoints: EndpointStore;
}

export function createHandler(environment: EnvironmentOf<"account">): HttpHandler {
  return groupHandler({
    group: "account",
    routes: { "GET /v1/account": getRoute },
    dependencies: {
      ...provide.edge(environment, "account"),
      endpoints: provide.endpoints(environment),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("account", process.env)),
);
