import type { ComponentChildren } from "preact";
import type { WebhookDelivery } from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Filters, Segmented, SelectFilter } from "../../ui/filters.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type DeliveryFilters, deliveryStates, readDeliveryQuery } from "./deliveries.ts";
import { lastResultInWords } from "./delivery-words.ts";
import { EventType } from "./event-type.tsx";
import { runEventTypes, testType } from "./event-types.ts";
import "./webhooks.css";

interface DeliveryLogProps {
  readonly pages: Pages<WebhookDelivery>;
  /** The path of the page, for links that contain the filters. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Additional columns, after the event. */
  readonly columns?: readonly Column<WebhookDelivery>[];
  readonly rowAction?: (delivery: WebhookDelivery) => ComponentChildren;
  readonly actions?: ComponentChildren;
}

/**
 * Lists deliveries with their results, newest first. Also shows the filters of the log, which are
 * part of `query`.
 */
export function DeliveryLog(props: DeliveryLogProps) {
  const { pages, path, query, actions } = props;
  const names = useWatchlistNames(pages.entries?.map((one) => one.watchlist_id) ?? []);
  const { filters } = readDeliveryQuery(query);
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <Card title="Deliveries" flush actions={<div class="row">{actions}</div>}>
      <FilterRow path={path} filters={filters} names={names} />
      <Table
        caption="Deliveries"
        columns={columnsOf(props, names)}
        rows={pages.entries}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.refresh}
        empty={<NoDeliveries isFiltered={isFiltered} path={path} hasMore={pages.hasMore} />}
      />
      <Pager pages={pages} />
    </Card>
  );
}

function columnsOf(
  { columns = [], rowAction, path, query }: DeliveryLogProps,
  names: ReadonlyMap<string, string> | undefined,
): readonly Column<WebhookDelivery>[] {
  const opened = (id: string): string =>
    linkTo(path, { ...Object.fromEntries(query), delivery: id });
  return [
    { head: "Event", isRowHead: true, cell: (one) => eventCell(one, opened(one.id), names) },
    ...columns,
    { head: "State", cell: ({ state }) => <StateBadge state={state} /> },
    { head: "Last result", cell: lastResultInWords },
    { head: "Attempts", align: "end", cell: ({ attempt_count: count }) => count },
    { head: "Happened", cell: ({ created_at: time }) => <RelativeTime time={time} /> },
    ...(rowAction ? [{ head: "Actions", align: "end" as const, cell: rowAction }] : []),
  ];
}

function eventCell(
  delivery: WebhookDelivery,
  href: string,
  names: ReadonlyMap<string, string> | undefined,
) {
  const { watchlist_id: listId } = delivery;
  return (
    <span class="event-name">
      <a href={href}>
        <EventType type={delivery.event_type} />
      </a>
      {listId !== null && <span class="muted small">{names?.get(listId) ?? listId}</span>}
    </span>
  );
}

const stateWords: Readonly<Record<(typeof deliveryStates)[number], string>> = {
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
};
const states = [
  ["", "All"] as const,
  ...deliveryStates.map((state) => [state, stateWords[state]] as const),
];

function FilterRow(props: {
  readonly path: string;
  readonly filters: DeliveryFilters;
  readonly names: ReadonlyMap<string, string> | undefined;
}) {
  const { path, names, filters } = props;
  const { state, eventType, watchlistId } = filters;
  const choose = (change: Partial<DeliveryFilters>): void => {
    const next = { ...filters, ...change };
    replacePlace(
      linkTo(path, {
        state: next.state,
        event_type: next.eventType,
        watchlist_id: next.watchlistId,
      }),
    );
  };
  const isDeleted = watchlistId !== "" && names?.has(watchlistId) === false;
  const types = [...runEventTypes.map(([type]) => type), testType];
  return (
    <Filters>
      <Segmented
        label="State"
        choices={states}
        value={state}
        onChange={(value) => choose({ state: value })}
      />
      <SelectFilter
        label="Event type"
        choices={[["", "All event types"], ...types.map((type) => [type, type] as const)]}
        value={eventType}
        onChange={(value) => choose({ eventType: value })}
      />
      {names !== undefined && names.size > 0 && (
        <SelectFilter
          label="Watchlist"
          choices={[
            ["", "All watchlists"],
            ...names,
            ...(isDeleted ? [[watchlistId, `${watchlistId} (deleted)`] as const] : []),
          ]}
          value={watchlistId}
          onChange={(value) => choose({ watchlistId: value })}
        />
      )}
    </Filters>
  );
}

function NoDeliveries(props: {
  readonly isFiltered: boolean;
  readonly path: string;
  readonly hasMore: boolean;
}) {
  if (props.hasMore) {
    return <EmptyState title="No match yet. Load more to search older deliveries." />;
  }
  if (!props.isFiltered) {
    return (
      <EmptyState title="No deliveries yet.">
        Deliveries appear here when a watchlist has an event, and when you send a test.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No deliveries match the filter."
      action={<Button onClick={() => replacePlace(linkTo(props.path))}>Show all</Button>}
    />
  );
}
