import type { ApiClient } from "../../api/client.ts";
import type { FoundItem, List } from "../../api/resources.ts";
import { type Action, useAction } from "../../api/use-action.ts";
import { useDebounced } from "../../api/use-debounced.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { formatCount, formatMoney } from "../../format/numbers.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { ItemName, WatchlistName } from "../../shell/item-name.tsx";
import { Page } from "../../shell/page.tsx";
import { keptEntry, linkTo, replacePlace, useKeptScroll } from "../../shell/router.ts";
import type { PageProps } from "../../shell/shown-page.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Filters, SelectFilter, watchlistChoices } from "../../ui/filters.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { stockCsv } from "./stock-csv.ts";
import { placeOf, queryOf, readFilter, type StockFilter, stockOrders } from "./stock-filter.ts";
import "./stock.css";

const pageSize = 100;
/** The largest number of items in a page of the API. */
const pageMax = 5_000;
const pollSeconds = 60;

const backInStock = linkTo("/changes", { span: "7", compare: "period", kind: "back_in_stock" });
const delisted = linkTo("/changes", { span: "30", kind: "delisted" });

/**
 * The page with the items of all watchlists that are out of stock now. The query contains the
 * filters.
 */
export function StockPage({ query }: PageProps) {
  const { filter, ignored } = readFilter(query);
  const pages = useStock(filter);
  const names = useWatchlistNames(pages.entries?.map(({ item }) => item.watchlist_id) ?? []);
  const change = (part: Partial<StockFilter>): void =>
    replacePlace(linkTo("/stock", placeOf({ ...filter, ...part })));
  const download: Action<void, string> = useAction(async (api) =>
    stockCsv(await loadAll(api, filter)),
  );
  const save = async (): Promise<void> => {
    const text = await download.run();
    if (text !== undefined) saveFile("out-of-stock.csv", text);
  };
  return (
    <Page
      title="Out of stock"
      lead={
        <>
          The items that are out of stock now, by their last read.{" "}
          <a href={backInStock}>Back in stock in the last 7 days</a> ·{" "}
          <a href={delisted}>Delisted in the last 30 days</a>
        </>
      }
    >
      <IgnoredParts parts={ignored} />
      <Card
        title={titleOf(pages)}
        actions={
          <Button
            small
            label="CSV of all items that match the filters"
            busy={download.busy}
            onClick={() => void save()}
          >
            CSV
          </Button>
        }
        flush
      >
        <StockFilters filter={filter} names={names} onChange={change} />
        {download.error && <ErrorState error={download.error} />}
        <Table
          caption="Items out of stock"
          columns={columns}
          rows={pages.entries}
          rowKey={({ id }) => id}
          error={pages.error}
          onRetry={pages.refresh}
          empty={<NoItems filter={filter} />}
        />
        <Pager pages={pages} />
      </Card>
    </Page>
  );
}

interface StockFiltersProps {
  readonly filter: StockFilter;
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly onChange: (part: Partial<StockFilter>) => void;
}

function StockFilters({ filter, names, onChange }: StockFiltersProps) {
  return (
    <Filters>
      <input
        type="search"
        class="control"
        aria-label="Search by ID, label or title"
        placeholder="ID, label or title"
        spellcheck={false}
        value={filter.search}
        onInput={(event) => onChange({ search: event.currentTarget.value })}
      />
      <SelectFilter
        label="Watchlist"
        choices={watchlistChoices(names, filter.watchlist)}
        value={filter.watchlist}
        onChange={(watchlist) => onChange({ watchlist })}
      />
      <SelectFilter
        label="Order"
        choices={stockOrders}
        value={filter.order}
        onChange={(order) => onChange({ order })}
      />
    </Filters>
  );
}

/** An item with a key that is unique in the table, because several watchlists can have the item. */
interface Row {
  readonly id: string;
  readonly item: FoundItem;
}

const rowOf = (item: FoundItem): Row => ({ id: `${item.watchlist_id} ${item.id}`, item });

function useStock(filter: StockFilter): Pages<Row> {
  const search = useDebounced(filter.search);
  const query = queryOf({ ...filter, search });
  const kept = keptEntry();
  const pages = usePages<Row>(
    async (api, cursor, signal) => {
      const page = await api.get<List<FoundItem>>("watchlists/items", {
        signal,
        query: { ...query, limit: pageSize, starting_after: cursor },
      });
      return { ...page, data: page.data.map(rowOf) };
    },
    [JSON.stringify(query)],
    { poll: (entries) => (entries.length <= pageSize ? pollSeconds : undefined), kept },
  );
  useKeptScroll(kept, pages.entries !== undefined);
  return pages;
}

/** Loads all items that match a filter, in its order. */
async function loadAll(api: ApiClient, filter: StockFilter): Promise<readonly FoundItem[]> {
  const items: FoundItem[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: List<FoundItem> = await api.get("watchlists/items", {
      query: { ...queryOf(filter), limit: pageMax, starting_after: cursor },
    });
    items.push(...page.data);
    cursor = page.next_starting_after ?? null;
  }
  return items;
}

function titleOf({ entries, hasMore }: Pages<Row>): string {
  if (entries === undefined) return "Items out of stock";
  const count = formatCount(entries.length);
  return `${hasMore ? "More than " : ""}${count} ${entries.length === 1 ? "item" : "items"} out of stock`;
}

function NoItems({ filter: { watchlist, search } }: { readonly filter: StockFilter }) {
  const isFiltered = watchlist !== "" || search.trim() !== "";
  return (
    <EmptyState
      title={isFiltered ? "No item that is out of stock matches." : "No item is out of stock."}
      action={<LinkButton href="#/watchlists">Watchlists</LinkButton>}
    >
      The page leaves out delisted items, and items whose source does not read the stock.
    </EmptyState>
  );
}

const columns: readonly Column<Row>[] = [
  { head: "Item", isRowHead: true, cell: itemCell },
  {
    head: "Watchlist",
    cell: ({ item: { watchlist_id: id, watchlist_name: name, platform } }) => (
      <WatchlistName id={id} name={name} platform={platform} />
    ),
  },
  {
    head: "Last price",
    align: "end",
    cell: ({ item: { stock } }) => (
      <span class="number stock-price">
        {stock == null || stock.price === null
          ? "none known"
          : formatMoney(stock.price, stock.currency)}
      </span>
    ),
  },
  { head: "Values since", align: "end", cell: ({ item }) => <ValuesSince item={item} /> },
];

/**
 * Shows since when an item is out of stock. If only the time of its last change is known, adds "or
 * earlier": the history of the item has the exact time.
 */
function ValuesSince({ item: { stock } }: { readonly item: FoundItem }) {
  if (stock === undefined) return null;
  return (
    <span class="stock-since">
      <RelativeTime time={stock.stock_since ?? stock.values_since} />
      <span class="muted small">
        out of stock since then{stock.stock_since === null && " or earlier"}
      </span>
    </span>
  );
}

function itemCell({ item: { watchlist_id: listId, id, label, title, stock } }: Row) {
  return <ItemName listId={listId} id={id} label={label} title={title} url={stock?.url ?? null} />;
}
