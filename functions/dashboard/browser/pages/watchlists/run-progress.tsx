import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { Card } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StepBars, StepLegend } from "./step-bars.tsx";

/** A run in progress, step by step. */
export function RunProgress(props: { readonly run: WatchlistRun; readonly list: Watchlist }) {
  const { run, list } = props;
  const steps = Object.keys(run.stats.steps);
  return (
    <Card
      title={`Run ${run.run_number} is in progress`}
      actions={
        <span class="muted small">
          began <RelativeTime time={run.started_at} />
        </span>
      }
    >
      {steps.length > 0 && (
        <>
          <StepBars run={run} />
          <StepLegend />
        </>
      )}
      <p class="row muted small" role="status">
        <span class="spinner" aria-hidden="true" />
        {steps.length === 0
          ? `Getting ready to read ${formatCount(run.stats.tracked || list.item_count)} items`
          : `Step ${steps.at(-1)}`}
        {run.credits > 0 && `, ${formatCredits(run.credits)} so far`}
      </p>
    </Card>
  );
}
