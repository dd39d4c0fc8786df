import type { List, Watchlist, WatchlistRun } from "../../api/resources.ts";
import { usePages } from "../../api/use-pages.ts";
import { useRefreshOnChange } from "../../api/use-refresh-on-change.ts";
import { formatCount } from "../../format/numbers.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { brakeSentence, durationWords } from "./run-words.ts";
import { StepBars, StepLegend } from "./step-bars.tsx";

const pageSize = 20;

interface RunsTabProps {
  readonly list: Watchlist;
  readonly latest: WatchlistRun | undefined;
}

/**
 * Shows the runs of a watchlist, newest first. The row of the newest run shows the values in
 * `latest`, which is read more often than the list.
 */
export function RunsTab({ list, latest }: RunsTabProps) {
  const pages = usePages<WatchlistRun>(
    async (api, cursor, signal) => {
      const page = await api.get<List<WatchlistRun>>(`watchlists/${list.id}/runs`, {
        signal,
        query: { limit: pageSize, before_run: cursor },
      });
      // The cursor of the next page is the number of the last run.
      return { ...page, next_starting_after: String(page.data.at(-1)?.run_number ?? "") };
    },
    [list.id],
  );
  useRefreshOnChange(pages.refresh, list.run_count);
  const rows = pages.entries?.map((run) => (run.id === latest?.id ? latest : run));
  return (
    <Card title="Run history" actions={<StepLegend />} flush>
      <Table
        caption="Runs"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.refresh}
        empty={<EmptyState title="This watchlist has not run yet.">{noRunsYet(list)}</EmptyState>}
      />
      <Pager pages={pages} />
    </Card>
  );
}

function noRunsYet({ status, item_count: items }: Watchlist): string {
  if (status === "paused") return "The watchlist is paused. Resume it to start runs.";
  return items === 0 ? "The watchlist has no items." : "The first run starts soon.";
}

const columns: readonly Column<WatchlistRun>[] = [
  {
    head: "Run",
    isRowHead: true,
    cell: (run) => (
      <div class="run-name">
        <span>Run {formatCount(run.run_number)}</span>
        <span class="muted small">
          {run.trigger}, {run.kind}
        </span>
      </div>
    ),
  },
  {
    head: "Started",
    cell: (run) => (
      <div class="run-time">
        <RelativeTime time={run.started_at} />
        <span class="muted small number">{durationWords(run)}</span>
      </div>
    ),
  },
  {
    head: "Outcome",
    cell: (run) => (
      <div class="run-outcome">
        <StateBadge state={run.status} />
        {run.brake !== undefined && <span class="small muted">{brakeSentence(run)}</span>}
        {run.error !== null && <span class="small muted">{run.error}</span>}
      </div>
    ),
  },
  { head: "Steps", cell: (run) => <StepBars run={run} /> },
  { head: "Changed", align: "end", cell: (run) => formatCount(run.stats.changed) },
  {
    head: "Items in events",
    align: "end",
    cell: ({ stats }) => (stats.notified === undefined ? "–" : formatCount(stats.notified)),
  },
  { head: "Delisted", align: "end", cell: (run) => formatCount(run.stats.delisted) },
  { head: "Credits", align: "end", cell: (run) => formatCount(run.credits) },
];
