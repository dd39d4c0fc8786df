import { useState } from "preact/hooks";
import type { List, Watchlist, WatchlistItem } from "../../api/resources.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";
import { formatCount } from "../../format/numbers.ts";
import { useRefreshOnChange } from "../../api/use-refresh-on-change.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { ChangeItemsDialog } from "./change-items-dialog.tsx";
import { ItemDialog } from "./item-dialog.tsx";
import { allItems, type ItemFilter, prefixOf, sinceOf } from "./item-filter.ts";
import { ItemFilters } from "./item-filters.tsx";
import { changeSummary, summaryOf } from "./item-values.ts";
import { useDebounced } from "./use-debounced.ts";
import "./items-tab.css";

/** The first page is small, to be fast. Later pages are large, because a run reloads all pages. */
const pageSizes = { first: 200, further: 500 };
const rowHeight = 60;
const listHeight = 600;

interface ItemsTabProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
}

function useItems(list: Watchlist, filter: ItemFilter): Pages<WatchlistItem> {
  const prefix = useDebounced(prefixOf(filter.idPrefix));
  const since = sinceOf(filter, list);
  const pages = usePages<WatchlistItem>(
    (api, cursor, signal) =>
      api.get<List<WatchlistItem>>(`watchlists/${list.id}/items`, {
        signal,
        query: {
          limit: cursor === undefined ? pageSizes.first : pageSizes.further,
          starting_after: cursor,
          state: filter.state,
          changed_since: since,
          id_prefix: prefix,
        },
      }),
    [list.id, filter.state, since, prefix],
  );
  useRefreshOnChange(pages.refresh, `${list.run_count} ${list.last_run_status} ${list.item_count}`);
  return pages;
}

/**
 * Shows the items of a watchlist, each with its state and its last change. Loads more items while
 * the user scrolls. Calls `onChanged` after the user has added or removed items.
 */
export function ItemsTab({ list, onChanged }: ItemsTabProps) {
  const [filter, setFilter] = useState(allItems);
  const [open, setOpen] = useState<"change" | WatchlistItem>();
  const pages = useItems(list, filter);
  const close = (): void => setOpen(undefined);
  return (
    <>
      <Card
        title="Items"
        actions={
          <WriteButton small onClick={() => setOpen("change")}>
            Add or remove items
          </WriteButton>
        }
        flush
      >
        <ItemFilters list={list} filter={filter} onChange={setFilter} />
        <Items list={list} pages={pages} filter={filter} onOpen={setOpen} />
      </Card>
      {open === "change" && <ChangeItemsDialog list={list} onChanged={onChanged} onClose={close} />}
      {typeof open === "object" && <ItemDialog item={open} list={list} onClose={close} />}
    </>
  );
}

interface ItemsProps {
  readonly list: Watchlist;
  readonly pages: Pages<WatchlistItem>;
  readonly filter: ItemFilter;
  readonly onOpen: (item: WatchlistItem) => void;
}

function Items({ list, pages, filter, onOpen }: ItemsProps) {
  const { entries, error, hasMore } = pages;
  const failed = error && <ErrorState error={error} onRetry={pages.refresh} />;
  if (entries === undefined) return failed ?? <Skeleton lines={6} />;
  if (entries.length === 0) return failed ?? <NoItems list={list} filter={filter} />;
  const total = totalOf(list, filter);
  return (
    <>
      {failed}
      <p class="muted small" role="status">
        {hasMore && total !== undefined
          ? `${formatCount(total)} items`
          : `${hasMore ? "More than " : ""}${formatCount(entries.length)} ${entries.length === 1 ? "item" : "items"}`}
      </p>
      <VirtualList
        label="Items"
        entries={entries}
        entryKey={({ id }) => id}
        rowHeight={rowHeight}
        height={listHeight}
        onEnd={pages.loadMore}
        total={hasMore ? total : entries.length}
        entry={(item) => <ItemRow item={item} list={list} onOpen={() => onOpen(item)} />}
      />
    </>
  );
}

/**
 * Returns the number of items that match the filter, from the counts of the watchlist. Returns
 * undefined if the filter selects by more than the state, because the counts are only by state.
 */
function totalOf(list: Watchlist, { state, changedSince, idPrefix }: ItemFilter) {
  if (changedSince !== undefined || prefixOf(idPrefix) !== "") return undefined;
  return state === undefined ? list.item_count : list.items_by_state[state];
}

function NoItems({ list, filter }: Pick<ItemsProps, "list" | "filter">) {
  if (list.item_count === 0) {
    return <EmptyState title="This watchlist has no items." />;
  }
  return (
    <EmptyState title="No items match the filter.">
      {filter.changedSince !== undefined && "No item changed or was delisted since then."}
    </EmptyState>
  );
}

interface ItemRowProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
  readonly onOpen: () => void;
}

function ItemRow({ item, list, onOpen }: ItemRowProps) {
  const { last_change: change } = item;
  return (
    <button type="button" class="item-row" aria-haspopup="dialog" onClick={onOpen}>
      <span class="item-id">
        <code>{item.id}</code>
        <StateBadge state={item.state} />
      </span>
      <span class="item-summary number">{summaryOf(item, list.currency)}</span>
      <span class={change === null ? "item-change muted" : "item-change"}>
        {changeSummary(item, list.currency)}
      </span>
      <span class="item-time muted small">
        {item.last_read_at !== null && (
          <>
            read <RelativeTime time={item.last_read_at} />
          </>
        )}
      </span>
    </button>
  );
}
