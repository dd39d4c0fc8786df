import type { Watchlist, WatchlistItem } from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { formatCount, formatPercentChange } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useNarrow } from "../../ui/use-narrow.ts";
import { type VirtualColumn, VirtualTable } from "../../ui/virtual-table.tsx";
import { mainChangeOf, toneOf, valueWords, summaryOf } from "./item-values.ts";
import type { Selection } from "./use-selection.ts";

const rowHeights = { wide: 44, narrow: 84 };
const tableHeight = 612;

interface ItemsTableProps {
  readonly list: Watchlist;
  readonly pages: Pages<WatchlistItem>;
  readonly entries: readonly WatchlistItem[];
  readonly total: number | undefined;
  readonly selection: Selection;
}

/** The table of a watchlist's items. Loads more items while the user scrolls. */
export function ItemsTable({ list, pages, entries, total, selection }: ItemsTableProps) {
  const isNarrow = useNarrow();
  return (
    <VirtualTable
      label="Items"
      columns={[selectColumn(entries.length, selection), ...columnsOf(list)]}
      rows={entries}
      rowKey={({ id }) => id}
      rowClass="item-row"
      rowHeight={isNarrow ? rowHeights.narrow : rowHeights.wide}
      height={tableHeight}
      onEnd={pages.loadMore}
      total={total}
    />
  );
}

const selectColumn = (count: number, selection: Selection): VirtualColumn<WatchlistItem> => ({
  name: "select",
  head: (
    <input
      type="checkbox"
      aria-label={`Select all ${formatCount(count)} loaded items`}
      checked={selection.isAll}
      onChange={selection.toggleAll}
    />
  ),
  cell: (item) => (
    <input
      type="checkbox"
      aria-label={`Select ${item.id}`}
      checked={selection.isSelected(item)}
      onChange={() => selection.toggle(item)}
    />
  ),
});

const columnsOf = (list: Watchlist): readonly VirtualColumn<WatchlistItem>[] => [
  {
    name: "item",
    head: "Item",
    isRowHead: true,
    cell: (item) => <ItemWords item={item} list={list} />,
  },
  {
    name: "values",
    head: "Price and stock",
    cell: (item) => <span class="number">{summaryOf(item, list.currency)}</span>,
  },
  { name: "change", head: "Last change", cell: (item) => <Change item={item} list={list} /> },
  { name: "read", head: "Last read", cell: ({ last_read_at: at }) => <RelativeTime time={at} /> },
];

interface RowProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
}

/** Shows the label, the title and the ID of an item, with a link to its page. */
function ItemWords({ item: { id, label, title, state }, list }: RowProps) {
  const words = [label, title, id].filter((one) => one !== null).join(", ");
  return (
    <span class="item-words" title={words}>
      <a href={linkTo(`/watchlists/${list.id}/items/${id}`)}>{label ?? title ?? id}</a>
      {label !== null && title !== null && title !== label && <span class="small"> {title}</span>}
      {(label ?? title) !== null && (
        <>
          {" "}
          <code class="muted small">{id}</code>
        </>
      )}
      {state !== "active" && (
        <>
          {" "}
          <StateBadge state={state} />
        </>
      )}
    </span>
  );
}

function Change({ item, list }: RowProps) {
  const change = mainChangeOf(item);
  if (change === undefined || item.last_change === null) return <span class="muted">none</span>;
  const { field, before, after, percent, others } = change;
  return (
    <span class="item-change">
      <span class="number">
        {percent !== undefined && (
          <>
            <strong class={`change-${toneOf(change)}`}>{formatPercentChange(percent)}</strong>{" "}
          </>
        )}
        <span class="muted">
          {field} {valueWords(field, before, list.currency)} →{" "}
          {valueWords(field, after, list.currency)}
          {others > 0 && `, and ${others} more`}
        </span>
      </span>
      <span class="muted small">
        <RelativeTime time={item.last_change.changed_at} />
      </span>
    </span>
  );
}
