import { invalidParam } from "../base/errors.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalogue.ts";

interface RefreshRequest {
  /** Value in the request; undefined if absent. */
  readonly refreshEveryRuns?: number | undefined;
  readonly platform: Platform;
  /** The watchlist's own pipeline; null: the platform's default. */
  readonly pipeline: Pipeline | null;
}

/**
 * Refuses `refresh_every_runs` where it has no effect: it applies only to the default pipeline of
 * retailer_a (specification, section "Watchlists").
 * @throws 400 with the setting to use instead.
 */
export function checkRefreshSetting({
  refreshEveryRuns,
  platform,
  pipeline,
}: RefreshRequest): void {
  if (refreshEveryRuns === undefined) return;
  const only = "'refresh_every_runs' applies to retailer_a's default pipeline only.";
  if (pipeline !== null) {
    throw invalidParam(
      "refresh_every_runs",
      `${only} This watchlist has its own pipeline: leave it out and set 'pipeline.refresh', ` +
        'such as {"every_runs": 8, "entry": "<step id>"}.',
    );
  }
  if (platform !== "retailer_a") {
    throw invalidParam(
      "refresh_every_runs",
      `${only} The default pipeline of ${platform} reads every item in every run: leave it out, ` +
        "or send your own pipeline with 'pipeline.refresh'.",
    );
  }
}
