import { quantity } from "../../shared/base/quantity.ts";
import { backtestRoute, getBacktestRoute } from "../watchlists/backtest.ts";
import { changeItemsRoute } from "../watchlists/change-items.ts";
import { createWatchlistRoute } from "../watchlists/create.ts";
import { estimatePipelineRoute } from "../watchlists/estimate.ts";
import { getWatchlistRoute } from "../watchlists/get.ts";
import { itemHistoryRoute } from "../watchlists/item-history.ts";
import { listAccountChangesRoute, listWatchlistChangesRoute } from "../watchlists/list-changes.ts";
import { listItemsRoute } from "../watchlists/list-items.ts";
import { listWatchlistsRoute } from "../watchlists/list.ts";
import { updateWatchlistRoute } from "../watchlists/update.ts";
import { maxCreditsPerRun, maxDays } from "./caps.ts";
import { lengthIn, objectIn } from "./summary.ts";
import type { JsonObject, Tool } from "./tool.ts";

const ofWatchlist = {
  watchlist_id: { param: "id", description: "ID of the watchlist; begins with wl_." },
} as const satisfies Tool["path"];

const listSummary =
  (noun: string) =>
  (result: JsonObject): string =>
    `${quantity(lengthIn(result, "data"), noun)}${result["has_more"] === true ? "; there are more: send a higher 'limit', or 'starting_after' for the next page" : ""}.`;

const watchlistSummary = (result: JsonObject): string =>
  `Watchlist ${String(result["id"])} is ${String(result["status"])} and has ` +
  `${quantity(Number(result["item_count"]), "item")}.${blockedText(result)}`;

/**
 * Returns a sentence about the limit that keeps every run from reading items; an empty string if
 * there is no such limit.
 */
const blockedText = ({ blocked_by_limit: limit }: JsonObject): string =>
  typeof limit === "string" ? ` Its runs read no items, because '${limit}' is too low.` : "";

/** Returns a sentence about the result of a back-test, or about its job. */
function backtestSummary(result: JsonObject): string {
  const { id, status } = result;
  return result["object"] === "backtest_job"
    ? `The back-test ${String(id)} is ${String(status)}. Call get_back_test for its result.`
    : `The back-test repeated ${quantity(lengthIn(result, "runs"), "run")}. Free.`;
}

/** Returns sentences about the estimated credits of a watchlist. */
function estimateSummary(result: JsonObject): string {
  const { pulseRun, newAsins } = objectIn(result, "estimated_credits");
  return (
    `An ordinary run costs about ${quantity(Number(pulseRun), "credit")}, and the first reads of new items ` +
    `${quantity(Number(newAsins), "credit")}.${blockedText(result)} Nothing was charged.`
  );
}

/**
 * The tools that show watchlists, or results that the service calculates from watchlists. All are
 * free.
 */
const readingTools: readonly Tool[] = [
  {
    name: "list_watchlists",
    title: "List watchlists",
    description: "Lists the watchlists of the account, newest first. Free.",
    key: "GET /v1/watchlists",
    route: listWatchlistsRoute,
    summary: listSummary("watchlist"),
  },
  {
    name: "get_watchlist",
    title: "Get a watchlist",
    description: "Shows a watchlist with its schedule, pipeline, costs and last run. Free.",
    key: "GET /v1/watchlists/{id}",
    route: getWatchlistRoute,
    path: ofWatchlist,
    summary: watchlistSummary,
  },
  {
    name: "list_watchlist_items",
    title: "List the items of a watchlist",
    description: "Lists the items of a watchlist with their last read values, in pages. Free.",
    key: "GET /v1/watchlists/{id}/items",
    route: listItemsRoute,
    path: ofWatchlist,
    summary: listSummary("item"),
  },
  {
    name: "list_changes",
    title: "List what changed",
    description:
      "Lists changes of fields, such as prices, in all watchlists of the account. By default, the changes of " +
      "the last day. Use this instead of reading items again. With compare=period, shows the net change of each item " +
      "in the time span. Free.",
    key: "GET /v1/changes",
    route: listAccountChangesRoute,
    summary: listSummary("change"),
  },
  {
    name: "list_watchlist_changes",
    title: "List what changed in a watchlist",
    description:
      "Lists changes of fields in one watchlist. By default, those of the last day. Free.",
    key: "GET /v1/watchlists/{id}/changes",
    route: listWatchlistChangesRoute,
    path: ofWatchlist,
    summary: listSummary("change"),
  },
  {
    name: "get_item_history",
    title: "Get the history of an item",
    description: "Lists the earlier values of an item of a watchlist, newest first. Free.",
    key: "GET /v1/watchlists/{id}/items/{item_id}/history",
    route: itemHistoryRoute,
    path: { ...ofWatchlist, item_id: { param: "item_id", description: "ID of the item." } },
    summary: listSummary("point"),
  },
  {
    name: "estimate_watchlist",
    title: "Estimate a watchlist",
    description:
      "Estimates the credits of the runs of a new watchlist, or of an existing one with other settings. " +
      "Creates and charges nothing. Free.",
    key: "POST /v1/watchlists/estimate",
    route: estimatePipelineRoute,
    summary: estimateSummary,
  },
  {
    name: "back_test",
    title: "Back-test a pipeline",
    description:
      "Repeats the past runs of a watchlist with another pipeline, and shows which notifications it would " +
      "have sent. Reads only stored history. `max_days` is required. A large back-test becomes a job: call " +
      "get_back_test with its ID. Free.",
    key: "POST /v1/watchlists/{id}/backtest",
    route: backtestRoute,
    path: ofWatchlist,
    cap: maxDays,
    showsPipeline: true,
    summary: backtestSummary,
  },
  {
    name: "get_back_test",
    title: "Get a back-test",
    description: "Shows the progress or the result of a back-test that became a job. Free.",
    key: "GET /v1/watchlists/{id}/backtests/{backtest_id}",
    route: getBacktestRoute,
    path: {
      ...ofWatchlist,
      backtest_id: { param: "backtest_id", description: "ID of the back-test." },
    },
    summary: backtestSummary,
  },
];

/** The tools that change watchlists. The runs of a watchlist charge credits. */
const writingTools: readonly Tool[] = [
  {
    name: "create_watchlist",
    title: "Create a watchlist",
    description:
      "Creates a watchlist, whose items are read on a schedule. Every run charges credits: call " +
      "estimate_watchlist first. `max_credits_per_run` is required. The first run starts immediately, unless " +
      "`status` is paused. With `idempotency_key`, a repeated call creates no second watchlist.",
    key: "POST /v1/watchlists",
    route: createWatchlistRoute,
    required: ["ids"],
    cap: maxCreditsPerRun,
    summary: watchlistSummary,
  },
  {
    name: "change_watchlist_items",
    title: "Add or remove items",
    description:
      "Adds items to a watchlist and removes items from it. Later runs read added items, and charge for them, " +
      "within the limits of the watchlist.",
    key: "POST /v1/watchlists/{id}/items",
    route: changeItemsRoute,
    path: ofWatchlist,
    summary: ({ added, removed, item_count: count }) =>
      `Added ${Number(added)}, removed ${Number(removed)}. The watchlist has ${quantity(Number(count), "item")}.`,
  },
  {
    name: "pause_watchlist",
    title: "Pause a watchlist",
    description: "Pauses a watchlist: its schedule starts no runs until it is resumed.",
    key: "PATCH /v1/watchlists/{id}",
    route: updateWatchlistRoute,
    path: ofWatchlist,
    body: { status: "paused" },
    summary: watchlistSummary,
  },
  {
    name: "resume_watchlist",
    title: "Resume a watchlist",
    description:
      "Resumes a paused watchlist. Its schedule starts runs again, which charge credits within the limits of " +
      "the watchlist.",
    key: "PATCH /v1/watchlists/{id}",
    route: updateWatchlistRoute,
    path: ofWatchlist,
    body: { status: "active" },
    summary: watchlistSummary,
  },
];

/** The tools that read and change watchlists. */
export const watchlistTools: readonly Tool[] = [...readingTools, ...writingTools];
