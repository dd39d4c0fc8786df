import type { Watchlist, WatchlistItem } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useRefreshOnChange } from "../../api/use-refresh-on-change.ts";
import { formatCount } from "../../format/numbers.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { valueWords } from "./item-values.ts";

interface ItemDialogProps {
  /** The item as the list of items showed it when the dialog was opened. */
  readonly item: WatchlistItem;
  readonly list: Watchlist;
  readonly onClose: () => void;
}

/** Shows an item with its last change and its snapshot. Reloads the item when a run ends. */
export function ItemDialog({ item: listed, list, onClose }: ItemDialogProps) {
  const current = useQuery(
    (api, signal) => api.get<WatchlistItem>(`watchlists/${list.id}/items/${listed.id}`, { signal }),
    [list.id, listed.id],
  );
  useRefreshOnChange(current.refresh, `${list.run_count} ${list.last_run_status}`);
  const item = current.data ?? listed;
  return (
    <Dialog title={item.id} onClose={onClose}>
      <Facts
        facts={[
          ["State", <StateBadge key="state" state={item.state} />],
          ["Added", <RelativeTime key="added" time={item.added_at} />],
          ["Last read", <RelativeTime key="read" time={item.last_read_at} />],
          ["Values since", <RelativeTime key="values" time={item.snapshot_at} />],
          [
            "Last read status",
            item.last_read_status === null ? "–" : item.last_read_status.replaceAll("_", " "),
          ],
          ...(item.consecutive_failures > 0
            ? [["Failures in a row", formatCount(item.consecutive_failures)] as const]
            : []),
          ...(item.delisted_at === null
            ? []
            : [["Delisted", <RelativeTime key="delisted" time={item.delisted_at} />] as const]),
        ]}
      />
      <Change item={item} list={list} />
      <Snapshot item={item} list={list} />
    </Dialog>
  );
}

interface PartProps {
  readonly item: WatchlistItem;
  readonly list: Watchlist;
}

function Change({ item: { last_change: change }, list }: PartProps) {
  if (change === null) return <p class="muted">No change was found yet.</p>;
  return (
    <section class="item-part">
      <h3>Last change</h3>
      <p class="muted small">
        <RelativeTime time={change.changed_at} />, found by run {formatCount(change.run_number)} in
        step {change.step} ({change.scraper})
      </p>
      <table class="plain-table">
        <caption class="visually-hidden">Last change</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(change.changes).map(([field, { before, after }]) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td class="number value-before">{valueWords(field, before, list.currency)}</td>
              <td class="number value-after">{valueWords(field, after, list.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Snapshot({ item: { snapshot, last_change: change }, list }: PartProps) {
  if (snapshot === null) return null;
  return (
    <section class="item-part">
      <h3>As last read</h3>
      <table class="plain-table">
        <caption class="visually-hidden">As last read</caption>
        <tbody>
          {Object.entries(snapshot).map(([field, value]) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td class={change?.changes[field] === undefined ? "number" : "number value-after"}>
                {valueWords(field, value, list.currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
