import type { Pipeline } from "../../shared/pipelines/definition.ts";
import { parsePipeline } from "../../shared/pipelines/parse.ts";
import { pipelineOf, type Watchlist } from "../../shared/watchlists/watchlist.ts";

/**
 * Returns the pipeline that a call tests: the pipeline `sent` in its body, or otherwise that of the
 * watchlist.
 * @throws 400 whose `param` names the invalid key; 501 for a scraper that is announced but not yet
 * available
 */
export const candidatePipeline = (sent: unknown, watchlist: Watchlist): Pipeline =>
  sent === undefined || sent === null ? pipelineOf(watchlist) : parsePipeline(sent, watchlist);
