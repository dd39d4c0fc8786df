import { useMemo } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { FieldChange, List, Watchlist } from "../../api/resources.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { formatCount } from "../../format/numbers.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { linkTo, replacePlace } from "../../shell/router.ts";
import type { PageProps } from "../../shell/shown-page.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useDebounced } from "../../api/use-debounced.ts";
import { isEverywhere, isOnPlatform } from "./change-fields.ts";
import {
  changedFilter,
  type ChangeFilter,
  queryOf,
  readFilter,
  sinceOf,
  sizesOf,
} from "./change-filter.ts";
import { ChangeFilters } from "./change-filters.tsx";
import { amountWords, kindWords, percentWords, toneOf, valuesWords } from "./change-words.ts";
import { changesCsv, changesJson } from "./download.ts";
import "./changes.css";

const pageSize = 50;
const pollSeconds = 30;

/** The page with the changes of all watchlists. The query contains the filters. */
export function ChangesPage({ query }: PageProps) {
  const { filter, ignored } = readFilter(query);
  const pages = useChanges(filter);
  const names = useWatchlistNames(pages.entries?.map(({ change: one }) => one.watchlist_id) ?? []);
  const change = (part: Partial<ChangeFilter>): void =>
    replacePlace(linkTo("/changes", queryOf(changedFilter(filter, part))));
  return (
    <Page title="What changed" lead="What the runs of your watchlists found changed.">
      <IgnoredParts parts={ignored} />
      <Card title={titleOf(pages)} actions={<Downloads entries={pages.entries} />} flush>
        <ChangeFilters filter={filter} names={names} onChange={change} />
        <Table
          caption="Changes"
          columns={columns}
          rows={pages.entries}
          rowKey={({ id }) => id}
          error={pages.error}
          onRetry={pages.refresh}
          empty={<NoChanges filter={filter} hasMore={pages.hasMore} />}
        />
        <Pager pages={pages} />
      </Card>
    </Page>
  );
}

/** A change with a key for the table. */
interface Row {
  readonly id: string;
  readonly change: FieldChange;
}

const rowOf = (change: FieldChange): Row => ({
  id: [change.watchlist_id, change.run_number, change.step, change.item_id, change.field].join(" "),
  change,
});

const changeOf = ({ change }: Row): FieldChange => change;

function useChanges(filter: ChangeFilter): Pages<Row> {
  const { percent, amount } = sizesOf({
    percent: useDebounced(filter.percent.trim()),
    amount: useDebounced(filter.amount.trim()),
  });
  const { span, compare, kind, watchlist, field, sort } = filter;
  // The minute of the start keeps the inputs of the query equal between two renderings.
  const since = useMemo(() => sinceOf(span, new Date()).toISOString(), [span]);
  const path = watchlist === "" ? "changes" : `watchlists/${watchlist}/changes`;
  return usePages<Row>(
    async (api, cursor, signal) => {
      if (!(await canMatch(filter, api, signal))) return { data: [], has_more: false };
      const page = await api.get<List<FieldChange>>(path, {
        signal,
        query: {
          since,
          sort,
          compare,
          limit: pageSize,
          starting_after: cursor,
          kind,
          field,
          min_delta_percent: percent.value,
          min_delta: amount.value,
        },
      });
      return { ...page, data: page.data.map(rowOf) };
    },
    [path, since, compare, kind, field, percent.value, amount.value, sort],
    { poll: (entries) => (entries.length <= pageSize ? pollSeconds : undefined) },
  );
}

/**
 * Returns false if the watchlist of the filter is of a platform whose items never have changes of
 * the field or of the kind.
 */
async function canMatch(
  { kind, field, watchlist }: ChangeFilter,
  api: ApiClient,
  signal: AbortSignal,
): Promise<boolean> {
  if (watchlist === "" || isEverywhere({ kind, field })) return true;
  const { platform } = await api.get<Watchlist>(`watchlists/${watchlist}`, { signal });
  return isOnPlatform(platform, { kind, field });
}

const titleOf = ({ entries, hasMore }: Pages<Row>): string => {
  if (entries === undefined) return "Changes";
  const count = formatCount(entries.length);
  return `${hasMore ? "More than " : ""}${count} ${entries.length === 1 ? "change" : "changes"}`;
};

/** Buttons that save the changes on the page as a file. */
function Downloads({ entries }: { readonly entries: readonly Row[] | undefined }) {
  if (entries === undefined || entries.length === 0) return null;
  const changes = entries.map(changeOf);
  return (
    <div class="row">
      <Button small onClick={() => saveFile("changes.csv", changesCsv(changes))}>
        CSV
      </Button>
      <Button small onClick={() => saveFile("changes.json", changesJson(changes))}>
        JSON
      </Button>
    </div>
  );
}

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
      title={isFiltered ? "No change matches the filters." : "Nothing changed in this time."}
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
    cell: ({ change: { watchlist_id: id, watchlist_name: name } }) => (
      <a href={linkTo(`/watchlists/${id}`)}>{name}</a>
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
  return (
    <span class="change-item">
      <a href={linkTo(`/watchlists/${listId}/items/${id}`)}>{label ?? title ?? id}</a>
      <span class="muted small">
        {(label ?? title) !== null && id}
        {url !== null && (
          <>
            {(label ?? title) !== null && " · "}
            <a href={url} target="_blank" rel="noreferrer noopener">
              shop
            </a>
          </>
        )}
      </span>
    </span>
  );
}
