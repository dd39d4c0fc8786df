import { useState } from "preact/hooks";
import type { Backtest, Watchlist } from "../../api/resources.ts";
import { formatCount, formatCredits, formatShare } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { BacktestLists } from "./backtest-lists.tsx";
import {
  backtestSentence,
  chargedCredits,
  comparisonSentence,
  limitSentences,
  reportedItems,
  unknownSentences,
} from "./backtest-words.ts";
import type { LimitsDraft } from "./watchlist-settings.ts";
import { type TestedList, type TestedRuns, useBacktest } from "./use-backtest.ts";

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
  const [others, setOthers] = useState<readonly Watchlist[]>([]);
  const [tested, setTested] = useState<readonly TestedList[]>([]);
  const { action, progress } = useBacktest();
  const start = async (): Promise<void> => {
    setTested((await action.run({ lists: [list, ...others], pipeline, days: Number(days) })) ?? []);
  };
  return (
    <Card title="Back-test">
      <p class="muted">
        Repeats past runs with the pipeline above, on the stored readings. It costs nothing and
        changes nothing.
      </p>
      <BacktestLists list={list} chosen={others} onChange={setOthers} />
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
      {tested.length === 1 &&
        tested.map((one) => <OneList key={one.list.id} one={one} limits={limits} />)}
      {tested.length > 1 && <SeveralLists tested={tested} limits={limits} />}
    </Card>
  );
}

interface OneListProps {
  readonly one: TestedList;
  readonly limits: LimitsDraft;
}

function OneList({ one: { tested, error }, limits }: OneListProps) {
  if (tested === undefined) return error ? <ErrorState error={error} /> : null;
  return <Result tested={tested} limits={limits} />;
}

interface SeveralListsProps {
  readonly tested: readonly TestedList[];
  readonly limits: LimitsDraft;
}

/** Shows the sums of several watchlists, each watchlist in a row, and the details of each. */
function SeveralLists({ tested, limits }: SeveralListsProps) {
  const results = tested.flatMap((one) => one.tested ?? []);
  const candidate = results.reduce((sum, { backtest }) => sum + backtest.total.credits, 0);
  const charged = results.reduce(
    (sum, { backtest, runs }) => sum + chargedCredits(backtest, runs),
    0,
  );
  const items = results.reduce((sum, { backtest }) => sum + reportedItems(backtest), 0);
  return (
    <>
      <p role="status">
        <strong>
          The runs of {formatCount(results.length)}{" "}
          {results.length === 1 ? "watchlist" : "watchlists"} would have reported{" "}
          {formatCount(items)} {items === 1 ? "item" : "items"} in events and cost{" "}
          {formatCredits(candidate)}.
        </strong>{" "}
        {comparisonSentence(candidate, charged)}
      </p>
      <Table
        caption="The back-test by watchlist"
        columns={listColumns}
        rows={tested}
        rowKey={({ list }) => list.id}
        empty={null}
      />
      {tested.map((one) => (
        <details key={one.list.id}>
          <summary>{one.list.name}</summary>
          <OneList one={one} limits={limits} />
        </details>
      ))}
    </>
  );
}

/** Returns a cell with a number of a tested watchlist; empty if the back-test failed. */
const numberCell =
  (numberOf: (tested: TestedRuns) => number) =>
  ({ tested }: TestedList): string =>
    tested === undefined ? "–" : formatCount(numberOf(tested));

const listColumns: readonly Column<TestedList>[] = [
  {
    head: "Watchlist",
    isRowHead: true,
    cell: ({ list, error }) => (
      <>
        {list.name}
        {error && <p class="muted small">{error.message}</p>}
      </>
    ),
  },
  { head: "Runs", align: "end", cell: numberCell(({ backtest }) => backtest.total.runs) },
  {
    head: "Items in events",
    align: "end",
    cell: numberCell(({ backtest }) => reportedItems(backtest)),
  },
  {
    head: "Credits of the pipeline above",
    align: "end",
    cell: numberCell(({ backtest }) => backtest.total.credits),
  },
  {
    head: "Credits charged",
    align: "end",
    cell: numberCell(({ backtest, runs }) => chargedCredits(backtest, runs)),
  },
];

interface ResultProps {
  readonly tested: TestedRuns;
  readonly limits: LimitsDraft;
}

function Result({ tested: { backtest, runs }, limits }: ResultProps) {
  const sentences = [...limitSentences(backtest, runs, limits), ...unknownSentences(backtest)];
  return (
    <>
      <p role="status">
        <strong>{backtestSentence(backtest)}</strong>{" "}
        {comparisonSentence(backtest.total.credits, chargedCredits(backtest, runs))}
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
