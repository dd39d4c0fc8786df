import type { WatchlistRun } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";
import "./step-bars.css";

type StepStats = WatchlistRun["stats"]["steps"][string];

/** The statuses of reads, in the order in which a bar shows them. */
const outcomes = ["ok", "partial", "not_found", "unavailable", "skipped"] as const;

const outcomeName = (outcome: string): string => outcome.replaceAll("_", " ");

/**
 * Shows a bar for each step of a run: the outcomes of the step's reads, as shares of all items of
 * the watchlist. If not all reads were ok, it also shows the outcomes as text.
 */
export function StepBars({ run }: { readonly run: WatchlistRun }) {
  const steps = Object.entries(run.stats.steps);
  if (steps.length === 0) return <span class="muted">–</span>;
  return (
    <ul class="step-bars">
      {steps.map(([id, stats]) => (
        <li key={id}>
          <span class="step-bar-name">{id}</span>
          <Bar
            stats={stats}
            of={Math.max(run.stats.tracked, ...steps.map(([, one]) => readBy(one)))}
          />
          <span class="step-bar-count number">{formatCount(stats.requested)}</span>
          <span class={isAllOk(stats) ? "visually-hidden" : "step-bar-words muted"}>
            read: {wordsOf(stats)}
          </span>
        </li>
      ))}
    </ul>
  );
}

const readBy = (stats: StepStats): number => outcomes.reduce((sum, one) => sum + stats[one], 0);

const isAllOk = (stats: StepStats): boolean => readBy(stats) === stats.ok;

function wordsOf(stats: StepStats): string {
  const parts = outcomes.filter((one) => stats[one] > 0);
  if (parts.length === 0) return "nothing yet";
  return parts.map((one) => `${formatCount(stats[one])} ${outcomeName(one)}`).join(", ");
}

const barWidth = 100;

function Bar({ stats, of }: { readonly stats: StepStats; readonly of: number }) {
  let x = 0;
  return (
    <svg
      class="step-bar"
      viewBox={`0 0 ${barWidth} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <title>{wordsOf(stats)}</title>
      <rect class="step-bar-rest" width={barWidth} height="8" />
      {outcomes.map((outcome) => {
        const at = x;
        const width = of === 0 ? 0 : (stats[outcome] / of) * barWidth;
        x += width;
        return <rect key={outcome} class={`bar-${outcome}`} x={at} width={width} height="8" />;
      })}
    </svg>
  );
}

/** The legend: which color of a bar shows which outcome. */
export const StepLegend = () => (
  <ul class="step-legend small muted" aria-hidden="true">
    {outcomes.map((outcome) => (
      <li key={outcome}>
        <svg width="10" height="10">
          <rect class={`bar-${outcome}`} width="10" height="10" rx="2" />
        </svg>
        {outcomeName(outcome)}
      </li>
    ))}
  </ul>
);
