import type { Pages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { formatCount } from "../../format/numbers.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { ItemName, WatchlistName } from "../../shell/item-name.tsx";
import { Page } from "../../shell/page.tsx";
import { linkTo, replacePlace } from "../../shell/router.ts";
import type { PageProps } from "../../shell/shown-page.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { changedFilter, type ChangeFilter, queryOf, readFilter } from "./change-filter.ts";
import { ChangeFilters } from "./change-filters.tsx";
import { amountWords, kindWords, percentWords, toneOf, valuesWords } from "./change-words.ts";
import { DownloadButtons, DownloadResult, useDownload } from "./download-buttons.tsx";
import { type Row, useChanges, useChangesQuery } from "./load-changes.ts";
import "./changes.css";

/** The page with the changes of all watchlists. The query contains the filters. */
export function ChangesPage({ query }: PageProps) {
  const { filter, ignored } = readFilter(query);
  const selected = useChangesQuery(filter);
  const pages = useChanges(selected);
  const download = useDownload(selected);
  const names = useWatchlistNames(pages.entries?.map(({ change: one }) => one.watchlist_id) ?? []);
  const change = (part: Partial<ChangeFilter>): void =>
    replacePlace(linkTo("/changes", queryOf(changedFilter(filter, part))));
  return (
    <Page title="What changed" lead="The changes that the runs of your watchlists found.">
      <IgnoredParts parts={ignored} />
      <Card
        title={selected.isValid ? titleOf(pages) : "Changes"}
        actions={
          pages.entries !== undefined &&
          pages.entries.length > 0 && <DownloadButtons download={download} />
        }
        flush
      >
        <ChangeFilters filter={filter} names={names} onChange={change} />
        <DownloadResult download={download} />
        <Table
          caption="Changes"
          columns={columns}
          rows={pages.entries}
          rowKey={({ id }) => id}
          error={pages.error}
          onRetry={pages.refresh}
          empty={
            selected.isValid ? (
              <NoChanges filter={filter} hasMore={pages.hasMore} />
            ) : (
              <EmptyState title="A minimum change is not a number. Correct it to list changes." />
            )
          }
        />
        <Pager pages={pages} />
      </Card>
    </Page>
  );
}

const titleOf = ({ entries, hasMore }: Pages<Row>): string => {
  if (entries === undefined) return "Changes";
  const count = formatCount(entries.length);
  return `${hasMore ? "More than " : ""}${count} ${entries.length === 1 ? "change" : "changes"}`;
};

interface NoChangesProps {
  readonly filter: ChangeFilter;
  readonly hasMore: boolean;
}

function NoChanges({ filter, hasMore }: NoChangesProps) {
  if (hasMore) return <EmptyState title="No match yet. Load more to search older changes." />;
  const { span, kind, watchlist, field, percent, amount } = filter;
  const isFiltered = [kind, watchlist, field, percent, amount].some((value) => value !== "");
  const longer = "Choose a longer time span, or check whether the watchlists run.";
  return (
    <EmptyState
      title={isFiltered ? "No change matches the filters." : "Nothing changed in this time span."}
      action={<LinkButton href="#/watchlists">Watchlists</LinkButton>}
    >
      {span === longestSpan ? "The first read of an item is not a change." : longer}
    </EmptyState>
  );
}

const longestSpan = "30";

const columns: readonly Column<Row>[] = [
  { head: "Item", isRowHead: true, cell: itemCell },
  {
    head: "Watchlist",
    cell: ({ change: { watchlist_id: id, watchlist_name: name, platform } }) => (
      <WatchlistName id={id} name={name} platform={platform} />
    ),
  },
  {
    head: "Change",
    cell: ({ change }) => (
      <span class="change-kind">
        {kindWords(change)}
        {change.kind !== "delisted" && <span class="muted small">{change.field}</span>}
      </span>
    ),
  },
  {
    head: "Before → after",
    cell: ({ change }) => (
      <span class={change.delta === null ? "number" : "number change-amounts"}>
        {valuesWords(change)}
      </span>
    ),
  },
  {
    head: "Size",
    align: "end",
    cell: ({ change }) => (
      <span class="change-size number">
        <strong class={`change-${toneOf(change)}`}>{percentWords(change)}</strong>
        <span class="muted small">{amountWords(change)}</span>
      </span>
    ),
  },
  {
    head: "When",
    align: "end",
    cell: ({ change: { changed_at: at } }) => <RelativeTime time={at} />,
  },
];

function itemCell({ change: { watchlist_id: listId, item_id: id, label, title, url } }: Row) {
  return <ItemName listId={listId} id={id} label={label} title={title} url={url} />;
}
