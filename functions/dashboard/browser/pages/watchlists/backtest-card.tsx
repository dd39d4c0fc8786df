import { useState } from "preact/hooks";
import type { Backtest, Watchlist } from "../../api/resources.ts";
import { formatCount, formatCredits, formatShare } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { eventEntryOf } from "../webhooks/event-body.ts";
import { EventItem } from "../webhooks/event-item.tsx";
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
import {
  type BacktestInput,
  type TestedList,
  type TestedRuns,
  useBacktest,
} from "./use-backtest.ts";

interface BacktestCardProps {
  readonly list: Watchlist;
  /** The pipeline of the form: null for the default, undefined if it cannot be sent. */
  readonly pipeline: unknown;
  readonly limits: LimitsDraft;
  /** True if the service refuses the pipeline. */
  readonly isRefused: boolean;
}

const spans = [
  ["1", "The last 24 hours"],
  ["7", "The last 7 days"],
  ["30", "The last 30 days"],
  ["90", "The last 90 days"],
] as const;

/**
 * Shows what past runs would have reported and cost with the pipeline and the limits that the
 * watchlist's form contains.
 */
export function BacktestCard({ list, pipeline, limits, isRefused }: BacktestCardProps) {
  const [days, setDays] = useState("7");
  const [others, setOthers] = useState<readonly Watchlist[]>([]);
  const [tested, setTested] = useState<readonly TestedList[]>([]);
  const [startedWith, setStartedWith] = useState<string>();
  const { action, progress } = useBacktest();
  const input = { lists: [list, ...others], pipeline, days: Number(days) };
  const inputKey = keyOf(input);
  const start = async (): Promise<void> => {
    setTested([]);
    setStartedWith(inputKey);
    setTested((await action.run(input)) ?? []);
  };
  const hasEnded = startedWith !== undefined && !action.busy;
  const isCurrent = hasEnded && startedWith === inputKey;
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
          disabledReason={
            pipeline === undefined || isRefused
              ? "The pipeline is not valid yet. See the message at its field."
              : undefined
          }
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
      {hasEnded && !isCurrent && (
        <p class="muted" role="status">
          The pipeline, the time or the watchlists were changed after the last back-test. Run the
          back-test again to see the new result.
        </p>
      )}
      {isCurrent && action.error && <ErrorState error={action.error} />}
      {isCurrent && <Results tested={tested} limits={limits} />}
    </Card>
  );
}

/** Returns a key for the input of a back-test. Inputs with the same key have the same result. */
const keyOf = ({ lists, pipeline, days }: BacktestInput): string =>
  JSON.stringify([
    lists.map(({ id }) => id),
    pipeline === undefined ? "not valid" : pipeline,
    days,
  ]);

interface SeveralListsProps {
  readonly tested: readonly TestedList[];
  readonly limits: LimitsDraft;
}

function Results({ tested, limits }: SeveralListsProps) {
  if (tested.length > 1) return <SeveralLists tested={tested} limits={limits} />;
  return (
    <>
      {tested.map((one) => (
        <OneList key={one.list.id} one={one} limits={limits} />
      ))}
    </>
  );
}

interface OneListProps {
  readonly one: TestedList;
  readonly limits: LimitsDraft;
}

function OneList({ one: { list, tested, error }, limits }: OneListProps) {
  if (tested === undefined) return error ? <ErrorState error={error} /> : null;
  return <Result list={list} tested={tested} limits={limits} />;
}

/**
 * Shows the sums over several watchlists, a row for each watchlist, and the details of each
 * watchlist.
 */
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
  readonly list: TestedList["list"];
  readonly tested: TestedRuns;
  readonly limits: LimitsDraft;
}

function Result({ list, tested: { backtest, runs }, limits }: ResultProps) {
  const unknown = unknownSentences(backtest);
  return (
    <>
      <p role="status">
        <strong>{backtestSentence(backtest)}</strong>{" "}
        {comparisonSentence(backtest.total.credits, chargedCredits(backtest, runs))}
      </p>
      <ul class="plain-list muted small">
        {limitSentences(backtest, runs, limits).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {unknown.length > 0 && (
        <details class="muted small">
          <summary>What the back-test does not include ({formatCount(unknown.length)})</summary>
          <ul class="plain-list">
            {unknown.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
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
          <Samples list={list} backtest={backtest} />
        </details>
      )}
    </>
  );
}

/** Shows the first items in the events of a back-test, with their changes and rules. */
function Samples({ list, backtest }: Pick<ResultProps, "list"> & { readonly backtest: Backtest }) {
  return (
    <ul class="event-items" role="list" aria-label="First items in the events of the back-test">
      {backtest.samples.map(({ type, run_number: run, entry }, n) => (
        <EventItem
          key={n}
          entry={eventEntryOf(entry)}
          type={type}
          list={{ id: list.id, pipeline: backtest.pipeline }}
          currency={list.currency}
          isTest={false}
          note={`run ${formatCount(run)}`}
        />
      ))}
    </ul>
  );
}

const columns: readonly Column<[string, Backtest["total"]["events"][string]]>[] = [
  { head: "Event type", isRowHead: true, cell: ([type]) => type },
  { head: "Items", align: "end", cell: ([, items]) => formatCount(items) },
];
