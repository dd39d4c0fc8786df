import { invalidParam } from "../base/errors.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalog.ts";

interface RefreshRequest {
  /** Value of `refresh_every_runs` in the request; undefined if absent. */
  readonly refreshEveryRuns?: number | undefined;
  readonly platform: Platform;
  /** The pipeline set for this watchlist; null if it uses the platform's default. */
  readonly pipeline: Pipeline | null;
}

/**
 * Checks `refresh_every_runs`, which has an effect only on the default pipeline of retailer_a
 * (specification, section "Watchlists"). An absent value is valid on any platform and pipeline.
 * @throws 400 if the value would have no effect
 */
export function checkRefreshSetting({
  refreshEveryRuns,
  platform,
  pipeline,
}: RefreshRequest): void {
  if (refreshEveryRuns === undefined) return;
  const only = "'refresh_every_runs' applies only to the default pipeline of retailer_a.";
  if (pipeline !== null) {
    throw invalidParam(
      "refresh_every_runs",
      `${only} This watchlist has a custom pipeline. Omit 'refresh_every_runs' and set 'pipeline.refresh', such as ` +
        '{"every_runs": 8, "entry": "<step id>"}.',
    );
  }
  if (platform !== "retailer_a") {
    throw invalidParam(
      "refresh_every_runs",
      `${only} The default pipeline of ${platform} reads every item in every run. Omit ` +
        "'refresh_every_runs', or send a custom pipeline with 'pipeline.refresh'.",
    );
  }
}
