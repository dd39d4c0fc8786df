import { useMemo, useState } from "preact/hooks";
import type {
  HistoryPoint,
  List,
  Watchlist,
  WatchlistItem,
  WatchlistRun,
} from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount } from "../../format/numbers.ts";
import { formatDateTime } from "../../format/times.ts";
import { Card } from "../../ui/card.tsx";
import { Segmented } from "../../ui/filters.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { StepChart } from "../../ui/step-chart.tsx";
import type { Marks } from "../../ui/steps.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { type ItemEvent, keepsEventsOf, runsIn, useItemEvents } from "./item-events.ts";
import type { ItemHistory } from "./item-history.ts";
import { RulesCard } from "./item-rules.tsx";
import { priceFieldIn, secondsOf, seriesOf } from "./item-series.ts";
import { valueWords } from "./item-values.ts";

interface HistoryCardsProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
  readonly history: ItemHistory;
}

/**
 * Shows the price of an item over time, its changes, the rules that can report it, and the events
 * about it.
 */
export function HistoryCards({ item, list, history }: HistoryCardsProps) {
  const runs = useMemo(() => runsIn(history.points, new Date()), [history]);
  const events = useItemEvents({ listId: list.id, itemId: item.id }, runs);
  return (
    <>
      <ChartCard list={list} points={history.points} events={events.entries ?? []} />
      <ChangesCard list={list} history={history} events={events} />
      <RulesCard item={item} list={list} events={events} />
    </>
  );
}

const spans = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["400", "400 days"],
] as const;
const daySeconds = 86_400;

/** Returns the span that the chart shows first: 30 days, or 7 days if the history is shorter. */
function firstSpan(points: readonly HistoryPoint[]): string {
  const oldest = points[0];
  const seconds = oldest === undefined ? 0 : Date.now() / 1_000 - secondsOf(oldest.at);
  return seconds > 7 * daySeconds ? "30" : "7";
}

/** The largest number of runs in a page of the API. */
const runsMax = 100;

interface ChartCardProps {
  readonly list: Watchlist;
  readonly points: readonly HistoryPoint[];
  readonly events: readonly ItemEvent[];
}

function ChartCard({ list, points, events }: ChartCardProps) {
  const [days, setDays] = useState(() => firstSpan(points));
  const runs = useQuery(
    (api, signal) =>
      api.get<List<WatchlistRun>>(`watchlists/${list.id}/runs`, {
        signal,
        query: { limit: runsMax },
      }),
    [list.id, list.run_count],
  );
  return (
    <Card
      title="Price and stock"
      actions={<Segmented label="Time span" choices={spans} value={days} onChange={setDays} />}
    >
      {runs.error && <ErrorState error={runs.error} onRetry={runs.refresh} />}
      <Chart
        points={points}
        days={Number(days)}
        list={list}
        runs={runs.data?.data ?? []}
        events={events}
      />
    </Card>
  );
}

/**
 * The width of the empty space before the first point, as a share of the period since that point.
 */
const marginShare = 0.05;

interface ChartProps extends ChartCardProps {
  readonly days: number;
  readonly runs: readonly WatchlistRun[];
}

function Chart({ points, days, list, runs, events }: ChartProps) {
  const shown = useMemo(() => {
    const to = Date.now() / 1_000;
    // With the full span, a short history would look like a vertical line at the right end.
    const first = points[0] === undefined ? to : secondsOf(points[0].at);
    const from = Math.max(to - days * daySeconds, first - (to - first) * marginShare);
    const span = { from, to };
    return { span, ...seriesOf(points, span) };
  }, [points, days]);
  const eventTimes = events.map(({ at }) => at).join();
  const runTimes = runs.map(({ started_at: at }) => at).join();
  const marks = useMemo<Marks>(
    () => ({
      below: runs.map(({ started_at: at }) => secondsOf(at)),
      above: events.map(({ at }) => secondsOf(at)),
    }),
    [runTimes, eventTimes],
  );
  const values = shown.prices.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return <p class="muted">No price is known in this time span.</p>;
  const field = priceFieldIn(points) ?? "price";
  const format = (value: number): string => valueWords(field, value, list.currency);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (
    <>
      <StepChart
        title="Price"
        steps={shown.prices}
        span={shown.span}
        shaded={shown.outOfStock}
        marks={marks}
        format={format}
        summary={`${field}: ${least === most ? format(least) : `lowest ${format(least)}, highest ${format(most)}`}`}
      />
      <p class="muted small">
        Shaded: out of stock or delisted. Ticks at the bottom: the newest {formatCount(runs.length)}{" "}
        {runs.length === 1 ? "run" : "runs"}. Triangles at the top: events about the item. The table
        of the changes has the same values.
      </p>
    </>
  );
}

interface ChangesCardProps {
  readonly list: Watchlist;
  readonly history: ItemHistory;
  readonly events: Pages<ItemEvent>;
}

/** The stored changes, newest first. They are also the text alternative of the chart. */
function ChangesCard({ list, history, events }: ChangesCardProps) {
  const rows = useMemo(() => history.points.toReversed(), [history]);
  return (
    <Card title={`All changes (${formatCount(rows.length)})`} flush>
      <div class="tall-scroll" tabIndex={0} role="region" aria-label="All changes of the item">
        <Table
          caption="All changes of the item"
          columns={columnsFor(list, events.entries ?? [])}
          rows={rows}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No read was recorded yet." />}
        />
      </div>
      {history.isCut && (
        <p class="muted small">
          The item has older changes. GET /v1/watchlists/{list.id}/items/…/history returns them.
        </p>
      )}
    </Card>
  );
}

const columnsFor = (
  list: Watchlist,
  events: readonly ItemEvent[],
): readonly Column<HistoryPoint>[] => [
  {
    head: "Read",
    isRowHead: true,
    cell: ({ at }) => <span class="number">{formatDateTime(new Date(at))}</span>,
  },
  {
    head: "New values",
    cell: ({ status, values }) =>
      status === "not_found"
        ? "not found: delisted"
        : Object.entries(values)
            .map(([field, value]) => `${field} ${valueWords(field, value, list.currency)}`)
            .join(", "),
  },
  {
    head: "Events",
    cell: (point) => {
      if (!keepsEventsOf(point.at, new Date())) return "events are kept for 30 days";
      const sent = events.filter((event) => isAbout(event, point));
      return [...new Set(sent.map(({ type }) => type))].join(", ") || "–";
    },
  },
  { head: "Step", cell: ({ step }) => step },
  { head: "Run", align: "end", cell: ({ run_number: run }) => formatCount(run) },
];

const isAbout = (event: ItemEvent, point: HistoryPoint): boolean =>
  event.runNumber === point.run_number && event.step === point.step;
