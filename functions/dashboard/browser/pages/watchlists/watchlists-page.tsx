import type { List, Watchlist } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { formatCount } from "../../format/numbers.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { readQuery } from "../../shell/page-query.ts";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { WriteLink } from "../../ui/button.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { DelistedLink, noRunWords } from "./list-facts.tsx";
import { ListState } from "./list-state.tsx";
import { scheduleWords } from "./schedule-draft.ts";
import "./watchlists.css";

const quietSeconds = 20;
/** The polling interval in seconds while a run is in progress. */
const busySeconds = 3;

const states = ["all", "active", "paused", "running"] as const;
type State = (typeof states)[number];

/** The page that lists the watchlists. The query contains the filters `state` and `name`. */
export function WatchlistsPage({ query }: PageProps) {
  const lists = useQuery((api, signal) => api.get<List<Watchlist>>("watchlists", { signal }), [], {
    poll: (page) => (page?.data.some(isRunning) === true ? busySeconds : quietSeconds),
  });
  const { values, ignored } = readQuery(query, { state: states, name: undefined });
  const state = states.find((one) => one === values["state"]) ?? "all";
  return (
    <Page
      title="Watchlists"
      lead="Lists of items that the service reads on a schedule."
      actions={
        <WriteLink spends href="#/watchlists/new" variant="primary">
          <PlusIcon />
          New watchlist
        </WriteLink>
      }
    >
      <IgnoredParts parts={ignored} />
      <Lists lists={lists} state={state} name={values["name"] ?? ""} />
    </Page>
  );
}

interface ListsProps {
  readonly lists: Query<List<Watchlist>>;
  readonly state: State;
  readonly name: string;
}

function Lists({ lists, state, name }: ListsProps) {
  const all = lists.data?.data;
  const shown = all?.filter((list) => isIn(list, state) && isNamed(list, name));
  return (
    <Card
      title={all === undefined ? "Watchlists" : countOf(all.length)}
      actions={all !== undefined && all.length > 0 && <Filters state={state} name={name} />}
      flush
    >
      <Table
        caption="Watchlists"
        columns={columns}
        rows={shown}
        rowKey={({ id }) => id}
        error={lists.error}
        onRetry={lists.refresh}
        empty={
          all?.length === 0 ? <NoLists /> : <EmptyState title="No watchlists match the filter." />
        }
      />
      <p class="visually-hidden" role="status">
        {shown !== undefined && `${countOf(shown.length)} shown`}
      </p>
    </Card>
  );
}

const countOf = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "watchlist" : "watchlists"}`;

const isRunning = (list: Watchlist): boolean => list.last_run_status === "running";
const isIn = (list: Watchlist, state: State): boolean =>
  state === "all" || (state === "running" ? isRunning(list) : list.status === state);
const isNamed = (list: Watchlist, name: string): boolean =>
  list.name.toLowerCase().includes(name.trim().toLowerCase());

function NoLists() {
  return (
    <EmptyState
      title="There are no watchlists yet."
      action={
        <WriteLink spends href="#/watchlists/new" variant="primary">
          New watchlist
        </WriteLink>
      }
    >
      Enter item IDs and a schedule. Every run reads the items and reports what changed.
    </EmptyState>
  );
}

function Filters({ state, name }: { readonly state: State; readonly name: string }) {
  const show = (filter: { state: State; name: string }): void =>
    replacePlace(
      linkTo("/watchlists", {
        state: filter.state === "all" ? undefined : filter.state,
        name: filter.name,
      }),
    );
  return (
    <div class="row list-filters">
      <div class="segmented" role="group" aria-label="State">
        {states.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === state}
            onClick={() => show({ state: one, name })}
          >
            {one.replace(/^./, (letter) => letter.toUpperCase())}
          </button>
        ))}
      </div>
      <input
        type="search"
        class="control filter-name"
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={name}
        onInput={(event) => show({ state, name: event.currentTarget.value })}
      />
    </div>
  );
}

const columns: readonly Column<Watchlist>[] = [
  {
    head: "Name",
    isRowHead: true,
    cell: (list) => (
      <div class="list-name">
        <a href={linkTo(`/watchlists/${list.id}`)}>{list.name}</a>
        <span class="muted small">
          {list.platform} · {list.marketplace}
        </span>
      </div>
    ),
  },
  { head: "State", cell: (list) => <ListState list={list} /> },
  {
    head: "Items",
    align: "end",
    cell: (list) => <ItemCounts list={list} />,
  },
  {
    head: "Schedule",
    cell: ({ schedule }) => <span class="list-schedule">{scheduleWords(schedule)}</span>,
  },
  {
    head: "Next run",
    cell: (list) => (
      <span class="list-time">
        <RelativeTime time={list.next_run_at} none={noRunWords(list)} />
      </span>
    ),
  },
  {
    head: "Last run",
    cell: (list) => (
      <span class="last-run">
        {list.last_run_status && <StateBadge state={list.last_run_status} />}
        <RelativeTime time={list.last_run_at} />
      </span>
    ),
  },
];

function ItemCounts({ list }: { readonly list: Watchlist }) {
  const { new: fresh, delisted } = list.items_by_state;
  return (
    <div class="list-counts">
      <span>{formatCount(list.item_count)}</span>
      {fresh + delisted > 0 && (
        <span class="muted small">
          {fresh > 0 && `${formatCount(fresh)} new`}
          {fresh > 0 && delisted > 0 && ", "}
          {delisted > 0 && <DelistedLink list={list} />}
        </span>
      )}
    </div>
  );
}
