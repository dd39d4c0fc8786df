import type { Watchlist, WatchlistItem } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { formatCount, formatNumber } from "../../format/numbers.ts";
import { Page } from "../../shell/page.tsx";
import { linkTo } from "../../shell/router.ts";
import type { PageProps } from "../../shell/shown-page.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { loadHistory } from "./item-history.ts";
import { HistoryCards } from "./item-history-cards.tsx";
import { summaryOf, valueWords } from "./item-values.ts";
import "./item-page.css";

const pollSeconds = 30;

function leadOf(item: WatchlistItem, { currency }: Watchlist): string {
  const summary = summaryOf(item, currency);
  return item.state === "delisted" && summary !== "delisted" ? `delisted, ${summary}` : summary;
}

/**
 * The page of one item of a watchlist: its details, its price over time, all stored changes, the
 * events about the item, the rules that report it, and its values.
 */
export function ItemPage({ parameters }: PageProps) {
  const { id: listId = "", item: itemId = "" } = parameters;
  const path = `watchlists/${encodeURIComponent(listId)}`;
  const poll = { poll: () => pollSeconds };
  const list = useQuery((api, signal) => api.get<Watchlist>(path, { signal }), [listId], poll);
  const item = useQuery(
    (api, signal) =>
      api.get<WatchlistItem>(`${path}/items/${encodeURIComponent(itemId)}`, { signal }),
    [listId, itemId],
    poll,
  );
  const shown = item.data && list.data && { item: item.data, list: list.data };
  return (
    <Page
      title={item.data === undefined ? itemId : nameOf(item.data)}
      lead={shown && leadOf(shown.item, shown.list)}
      back={{ href: linkTo(`/watchlists/${listId}`), label: list.data?.name ?? "Watchlist" }}
    >
      {isMissing(list) ? (
        <NoWatchlist listId={listId} />
      ) : isMissing(item) ? (
        <NoItem listId={listId} itemId={itemId} list={list.data} />
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

/**
 * Returns true if the service reports that the watchlist or the item does not exist, or that its ID
 * is invalid.
 */
const isMissing = ({ error }: Pick<Query<unknown>, "error">): boolean =>
  error?.status === 404 || error?.param === "item_id";

const nameOf = ({ id, label, title }: WatchlistItem): string => label ?? title ?? id;

const NoWatchlist = ({ listId }: { readonly listId: string }) => (
  <EmptyState
    title={`The watchlist ${listId} does not exist.`}
    action={<LinkButton href="#/watchlists">All watchlists</LinkButton>}
  >
    It may have been deleted, or it belongs to another account. Check the address, and the account
    of the API key.
  </EmptyState>
);

interface NoItemProps {
  readonly listId: string;
  readonly itemId: string;
  /** The watchlist; undefined while it is loading. */
  readonly list: Watchlist | undefined;
}

/** Explains what to check when the watchlist does not contain the item that the address names. */
function NoItem({ listId, itemId, list }: NoItemProps) {
  const name = list === undefined ? "the watchlist" : `“${list.name}”`;
  return (
    <EmptyState
      title={`The item ${itemId} is not on the watchlist.`}
      action={<LinkButton href={linkTo(`/watchlists/${listId}`)}>All items</LinkButton>}
    >
      Check whether the ID in the address is complete
      {list !== undefined && `, and whether it is an ID of ${list.platform}`}. Ctrl-K finds the item
      if another watchlist has it. If it was removed from {name}, add it again to read it.
    </EmptyState>
  );
}

interface ItemProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
}

function ShownItem(props: ItemProps) {
  const { item, list } = props;
  const history = useQuery(
    (api, signal) => loadHistory(api, { listId: list.id, itemId: item.id }, signal),
    [list.id, item.id, item.snapshot_at ?? "", item.delisted_at ?? ""],
  );
  return (
    <>
      <ItemFacts {...props} />
      <Loaded query={history}>{(known) => <HistoryCards {...props} history={known} />}</Loaded>
      <Values {...props} />
    </>
  );
}

function ItemFacts({ item, list }: ItemProps) {
  return (
    <Card
      title="About the item"
      actions={
        <span class="row">
          {item.image !== null && <ForeignLink href={item.image}>Image</ForeignLink>}
          {item.url !== null && <ForeignLink href={item.url}>Open in the shop</ForeignLink>}
        </span>
      }
    >
      <Facts
        facts={[
          ["ID", <code key="id">{item.id}</code>],
          ["Platform", `${list.platform} · ${list.marketplace}`],
          ["State", <StateBadge key="state" state={item.state} />],
          ["Label", item.label ?? "–"],
          ["Title", item.title ?? "–"],
          ...Object.entries(item.metadata).map(
            ([key, value]) =>
              [key, typeof value === "number" ? formatNumber(value) : String(value)] as const,
          ),
          ...Object.entries(item.seller_names).map(([id, name]) => [`Seller ${id}`, name] as const),
          ["Last read", <RelativeTime key="read" time={item.last_read_at} />],
          ["Last read status", item.last_read_status?.replaceAll("_", " ") ?? "–"],
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

/**
 * A link to another origin. The dashboard shows no image of another origin, because the shop would
 * learn who looks at which product.
 */
const ForeignLink = (props: { readonly href: string; readonly children: string }) => (
  <a href={props.href} target="_blank" rel="noreferrer noopener">
    {props.children}
  </a>
);

function Values({ item: { snapshot, last_change: change }, list }: ItemProps) {
  if (snapshot === null) return null;
  return (
    <Card title="Last known values">
      <table class="plain-table item-values">
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
      <p class="muted small">
        {change === null ? (
          "No change was found yet."
        ) : (
          <>
            Last change <RelativeTime time={change.changed_at} />, found by run{" "}
            {formatCount(change.run_number)} in step {change.step} ({change.scraper})
          </>
        )}
      </p>
    </Card>
  );
}
