/**
 * The routes whose operations need much code, such as the creation of a watchlist or a back-test.
 * They share most of this code, so they are loaded together from this file.
 */
export { backtestRoute, getBacktestRoute } from "./backtest.ts";
export { changeItemsRoute, changeAsinsRoute } from "./change-items.ts";
export { createWatchlistRoute } from "./create.ts";
export { releaseRunRoute, discardRunRoute } from "./decide-hold.ts";
export { estimatePipelineRoute } from "./estimate.ts";
export { itemHistoryRoute } from "./item-history.ts";
export { listWatchlistChangesRoute, listAccountChangesRoute } from "./list-changes.ts";
export { previewRoute } from "./preview.ts";
export { schedulePreviewRoute } from "./schedule-preview.ts";
export { listScrapersRoute } from "./scrapers.ts";
export { searchItemsRoute } from "./search-items.ts";
export { listSourcesRoute } from "./sources.ts";
export { updateWatchlistRoute } from "./update.ts";
