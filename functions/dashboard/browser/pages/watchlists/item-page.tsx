import { useMemo, useState } from "preact/hooks";
import type { HistoryPoint, List, Watchlist, WatchlistItem } from "../../api/resources.ts";
import type { ApiClient } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount } from "../../format/numbers.ts";
import { formatDateTime } from "../../format/times.ts";
import { Page } from "../../shell/page.tsx";
import { linkTo } from "../../shell/router.ts";
import type { PageProps } from "../../shell/shown-page.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { Segmented } from "../../ui/filters.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { StepChart } from "../../ui/step-chart.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { priceFieldIn, seriesOf } from "./item-series.ts";
import { summaryOf, valueWords } from "./item-values.ts";

const pollSeconds = 30;

/** The page of one item of a watchlist: its values, its price over time and all kept changes. */
export function ItemPage({ parameters }: PageProps) {
  const { id: listId = "", item: itemId = "" } = parameters;
  const path = `watchlists/${encodeURIComponent(listId)}`;
  const list = useQuery((api, signal) => api.get<Watchlist>(path, { signal }), [listId]);
  const item = useQuery(
    (api, signal) =>
      api.get<WatchlistItem>(`${path}/items/${encodeURIComponent(itemId)}`, { signal }),
    [listId, itemId],
    { poll: () => pollSeconds },
  );
  const isGone = list.error?.status === 404 || item.error?.status === 404;
  const { data: shown } = item;
  return (
    <Page
      title={shown?.label ?? shown?.title ?? itemId}
      lead={shown && list.data && summaryOf(shown, list.data.currency)}
      back={{ href: linkTo(`/watchlists/${listId}`), label: list.data?.name ?? "Watchlist" }}
    >
      {isGone ? (
        <NoItem listId={listId} />
      ) : (
        <Loaded query={item}>
          {(read) => (
            <Loaded query={list}>{(known) => <ShownItem item={read} list={known} />}</Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}

const NoItem = ({ listId }: { readonly listId: string }) => (
  <EmptyState
    title="This item is not on the watchlist."
    action={<LinkButton href={linkTo(`/watchlists/${listId}`)}>All items</LinkButton>}
  >
    It may have been removed.
  </EmptyState>
);

interface ItemProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
}

function ShownItem(props: ItemProps) {
  return (
    <>
      <ItemFacts {...props} />
      <History {...props} />
      <Values {...props} />
    </>
  );
}

function ItemFacts({ item, list }: ItemProps) {
  const metadata = Object.entries(item.metadata ?? {});
  return (
    <Card
      title="About the item"
      actions={
        item.url != null && (
          <a href={item.url} target="_blank" rel="noreferrer noopener">
            Open in the shop
          </a>
        )
      }
    >
      <Facts
        facts={[
          ["ID", <code key="id">{item.id}</code>],
          ["Platform", `${list.platform} · ${list.marketplace}`],
          ["State", <StateBadge key="state" state={item.state} />],
          ...(item.title == null ? [] : [["Title", item.title] as const]),
          ...metadata.map(([key, value]) => [key, String(value)] as const),
          ["Last read", <RelativeTime key="read" time={item.last_read_at} />],
          ["Values since", <RelativeTime key="values" time={item.snapshot_at} />],
          ...(item.consecutive_failures > 0
            ? [["Failures in a row", formatCount(item.consecutive_failures)] as const]
            : []),
          ["Added", <RelativeTime key="added" time={item.added_at} />],
          ...(item.delisted_at === null
            ? []
            : [["Delisted", <RelativeTime key="delisted" time={item.delisted_at} />] as const]),
        ]}
      />
    </Card>
  );
}

const spans = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["400", "400 days"],
] as const;
const daySeconds = 86_400;
/** The largest page that the API returns. */
const pageSize = 1_000;
/** Pages of the history that are loaded. More changes than that cannot be told apart in a chart. */
const pagesMax = 5;

/** Loads the history of an item, oldest first. */
async function loadHistory(
  api: ApiClient,
  path: string,
  signal: AbortSignal,
): Promise<readonly HistoryPoint[]> {
  const points: HistoryPoint[] = [];
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, has_more: hasMore } = await api.get<List<HistoryPoint>>(path, {
      signal,
      query: { limit: pageSize, starting_after: points.at(-1)?.id },
    });
    points.push(...data);
    if (!hasMore) break;
  }
  // Newest first, so that the newest points are loaded if there are too many.
  return points.toReversed();
}

function History({ item, list }: ItemProps) {
  const [days, setDays] = useState("30");
  const path = `watchlists/${list.id}/items/${item.id}/history`;
  const history = useQuery(
    (api, signal) => loadHistory(api, path, signal),
    [path, item.snapshot_at ?? "", item.delisted_at ?? ""],
  );
  return (
    <Card
      title="Price and stock"
      actions={<Segmented label="Time span" choices={spans} value={days} onChange={setDays} />}
    >
      <Loaded query={history}>
        {(points) => <Chart points={points} days={Number(days)} list={list} />}
      </Loaded>
      <Loaded query={history}>{(points) => <Points points={points} list={list} />}</Loaded>
    </Card>
  );
}

interface ChartProps {
  readonly points: readonly HistoryPoint[];
  readonly days: number;
  readonly list: Watchlist;
}

function Chart({ points, days, list }: ChartProps) {
  const shown = useMemo(() => {
    const to = Date.now() / 1_000;
    const span = { from: to - days * daySeconds, to };
    return { span, ...seriesOf(points, span) };
  }, [points, days]);
  const values = shown.prices.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return <p class="muted">No price is known in this time.</p>;
  const field = priceFieldIn(points) ?? "price";
  const format = (value: number): string => valueWords(field, value, list.currency);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (
    <StepChart
      title="Price"
      steps={shown.prices}
      span={shown.span}
      shaded={shown.outOfStock}
      format={format}
      summary={`${field}: from ${format(least)} to ${format(most)}. Shaded: not in stock.`}
    />
  );
}

/** The kept changes, newest first: also the text form of the chart. */
function Points({ points, list }: Omit<ChartProps, "days">) {
  const rows = useMemo(() => points.toReversed(), [points]);
  const columns: readonly Column<HistoryPoint>[] = [
    {
      head: "Read",
      isRowHead: true,
      cell: ({ at }) => <span class="number">{formatDateTime(new Date(at))}</span>,
    },
    {
      head: "Values",
      cell: ({ status, values }) =>
        status === "not_found"
          ? "Not found: delisted"
          : Object.entries(values)
              .map(([field, value]) => `${field}: ${valueWords(field, value, list.currency)}`)
              .join(", "),
    },
    {
      head: "Run",
      align: "end",
      cell: ({ run_number: run, step }) => `${formatCount(run)}, ${step}`,
    },
  ];
  return (
    <details class="chart-table">
      <summary>All changes ({formatCount(rows.length)})</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="All changes of the item">
        <Table
          caption="All changes of the item"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No read was recorded yet." />}
        />
      </div>
    </details>
  );
}

function Values({ item: { snapshot, last_change: change }, list }: ItemProps) {
  if (snapshot === null) return null;
  return (
    <Card title="Last known values">
      <table class="plain-table">
        <caption class="visually-hidden">Last known values</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">Before the last change</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(snapshot).map(([field, value]) => {
            const changed = change?.changes[field];
            return (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td class="number">{valueWords(field, value, list.currency)}</td>
                <td class="number muted">
                  {changed === undefined ? "" : valueWords(field, changed.before, list.currency)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {change !== null && (
        <p class="muted small">
          Last change <RelativeTime time={change.changed_at} />, found by run{" "}
          {formatCount(change.run_number)} in step {change.step} ({change.scraper})
        </p>
      )}
    </Card>
  );
}
