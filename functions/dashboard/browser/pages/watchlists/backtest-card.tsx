import { useState } from "preact/hooks";
import type { Backtest, Watchlist } from "../../api/resources.ts";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { backtestSentence, limitSentences, unknownSentences } from "./backtest-words.ts";
import type { LimitsDraft } from "./watchlist-settings.ts";
import { type TestedRuns, useBacktest } from "./use-backtest.ts";

interface BacktestCardProps {
  readonly list: Watchlist;
  /** The pipeline of the form: null for the default, undefined if it cannot be sent. */
  readonly pipeline: unknown;
  readonly limits: LimitsDraft;
}

const spans = [
  ["1", "The last 24 hours"],
  ["7", "The last 7 days"],
  ["30", "The last 30 days"],
  ["90", "The last 90 days"],
] as const;

/** Shows what past runs would have reported and cost with the pipeline and limits of the form. */
export function BacktestCard({ list, pipeline, limits }: BacktestCardProps) {
  const [days, setDays] = useState("7");
  const [tested, setTested] = useState<TestedRuns>();
  const { action, progress } = useBacktest();
  const start = async (): Promise<void> => {
    setTested(await action.run({ listId: list.id, pipeline, days: Number(days) }));
  };
  return (
    <Card title="Back-test">
      <p class="muted">
        Repeats past runs with the pipeline above, on the stored readings. It costs nothing and
        changes nothing.
      </p>
      <div class="row">
        <SelectFilter label="Runs to repeat" choices={spans} value={days} onChange={setDays} />
        <Button
          busy={action.busy}
          disabledReason={pipeline === undefined ? "The pipeline is not valid yet." : undefined}
          onClick={() => void start()}
        >
          Back-test
        </Button>
        {action.busy && progress !== undefined && (
          <span class="muted small" role="status">
            {formatShare(progress)} of the runs repeated
          </span>
        )}
      </div>
      {action.error && <ErrorState error={action.error} />}
      {tested && <Result tested={tested} limits={limits} />}
    </Card>
  );
}

interface ResultProps {
  readonly tested: TestedRuns;
  readonly limits: LimitsDraft;
}

function Result({ tested: { backtest, runs }, limits }: ResultProps) {
  const sentences = [...limitSentences(backtest, runs, limits), ...unknownSentences(backtest)];
  return (
    <>
      <p role="status">
        <strong>{backtestSentence(backtest)}</strong>
      </p>
      <ul class="plain-list muted small">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Table
        caption="Items in the events of the back-test"
        columns={columns}
        rows={Object.entries(backtest.total.events)}
        rowKey={([type]) => type}
        empty={<EmptyState title="No event would have reported an item." />}
      />
      {backtest.samples.length > 0 && (
        <details>
          <summary>The first {formatCount(backtest.samples.length)} of these items</summary>
          <JsonView value={backtest.samples} />
        </details>
      )}
    </>
  );
}

const columns: readonly Column<[string, Backtest["total"]["events"][string]]>[] = [
  { head: "Event type", isRowHead: true, cell: ([type]) => type },
  { head: "Items", align: "end", cell: ([, items]) => formatCount(items) },
];
