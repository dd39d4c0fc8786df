import { expect, it } from "vitest";
import type { RouteKey } from "../../../functions/routes.ts";
import { pathOf } from "../../../scripts/outage/sample-calls.ts";

it.each<[RouteKey, string]>([
  ["GET /v1/account", "/v1/account"],
  ["GET /v1/usage", "/v1/usage?days=7"],
  ["POST /v1/watchlists/{id}/run", "/v1/watchlists/wl_1/run"],
  ["POST /v1/watchlists/{id}/runs/{run_number}/release", "/v1/watchlists/wl_1/runs/1/release"],
  ["GET /v1/watchlists/{id}/items/{item_id}", "/v1/watchlists/wl_1/items/9000000"],
  ["ANY /v1/scrape/{proxy+}", "/v1/scrape/anything"],
])("the outage test's sample call of the route %s has the path %s", (route, path) => {
  expect(pathOf(route, "wl_1")).toBe(path);
});
