import type { SchedulePreview, WatchlistEstimate } from "../../api/resources.ts";

/**
 * Returns the estimated credits of all runs in 30 days, including full refreshes, as an integer.
 * Returns undefined if the estimate or the preview is undefined.
 */
export function creditsInMonth(
  estimate: Pick<WatchlistEstimate, "pipeline" | "estimated_credits"> | undefined,
  preview: Pick<SchedulePreview, "runs_in_30_days"> | undefined,
): number | undefined {
  if (estimate === undefined || preview === undefined) return undefined;
  const { pipeline, estimated_credits: credits } = estimate;
  const refreshes = pipeline.refresh === null ? 0 : 1 / pipeline.refresh.every_runs;
  const perRun = credits.pulseRun * (1 - refreshes) + credits.refreshRun * refreshes;
  return Math.round(perRun * preview.runs_in_30_days);
}
