import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { Card } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StepBars, StepLegend } from "./step-bars.tsx";

/** Shows the progress of a run, step by step. */
export function RunProgress(props: { readonly run: WatchlistRun; readonly list: Watchlist }) {
  const { run, list } = props;
  const step = Object.keys(run.stats.steps).at(-1);
  return (
    <Card
      title={`Run ${formatCount(run.run_number)} is in progress`}
      actions={
        <span class="muted small">
          started <RelativeTime time={run.started_at} />
        </span>
      }
    >
      {step !== undefined && (
        <>
          <StepBars run={run} />
          <StepLegend />
        </>
      )}
      <p class="row muted small">
        <span class="spinner" aria-hidden="true" />
        {step === undefined
          ? `Preparing to read ${formatCount(run.stats.tracked || list.item_count)} items`
          : `Step ${step}`}
        {run.credits > 0 && `, ${formatCredits(run.credits)} so far`}
      </p>
      {/* Counts change every second, so a screen reader announces only the steps. */}
      <p class="visually-hidden" role="status">
        {`Run ${formatCount(run.run_number)}: ${step === undefined ? "preparing" : `step ${step}`}`}
      </p>
    </Card>
  );
}
