import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { formatCount } from "../../format/numbers.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { LinkButton } from "../../ui/button.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { HeldRun } from "./held-run.tsx";
import { type ItemFilter, readPlace } from "./item-filter.ts";
import { ItemsTab } from "./items-tab.tsx";
import { ListActions } from "./list-actions.tsx";
import { ListFacts } from "./list-facts.tsx";
import { ListState } from "./list-state.tsx";
import { RunProgress } from "./run-progress.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { useLatestRun } from "./use-latest-run.ts";
import "./watchlists.css";

const quietSeconds = 15;
/**
 * The polling interval in seconds while a run is in progress or the first run is about to start.
 */
const busySeconds = 2;

const isBusy = ({ last_run_status: status, run_count: runs, status: state }: Watchlist): boolean =>
  status === "running" || (runs === 0 && state === "active");

/**
 * The page of the watchlist with the ID in `parameters`. The query parameter `tab` names the tab,
 * and the other parameters are the filter of the items. The page is rendered before the watchlist
 * is loaded, so that its heading keeps the focus when the watchlist arrives.
 */
export function WatchlistPage({ parameters, query }: PageProps) {
  const id = parameters["id"] ?? "";
  const list = useQuery(
    (api, signal) => api.get<Watchlist>(`watchlists/${encodeURIComponent(id)}`, { signal }),
    [id],
    { poll: (shown, error) => (isGone(error) ? undefined : pollSeconds(shown)) },
  );
  const { tab, filter, ignored } = readPlace(query, tabNames);
  const shown = isGone(list.error) ? undefined : list.data;
  return (
    <Page
      title={shown?.name ?? "Watchlist"}
      lead={
        shown && (
          <span class="row">
            <ListState list={shown} />
            {shown.platform} · {shown.marketplace}
          </span>
        )
      }
      back={{ href: "#/watchlists", label: "Watchlists" }}
      actions={shown && <ListActions list={shown} onChanged={list.refresh} />}
    >
      <IgnoredParts parts={ignored} />
      {isGone(list.error) ? (
        <NoList />
      ) : (
        <Loaded query={list}>
          {(read) => <ShownList list={read} query={list} tab={tab} filter={filter} />}
        </Loaded>
      )}
    </Page>
  );
}

const isGone = (error: ApiError | undefined): boolean => error?.status === 404;

const pollSeconds = (list: Watchlist | undefined): number =>
  list !== undefined && isBusy(list) ? busySeconds : quietSeconds;

const NoList = () => (
  <EmptyState
    title="This watchlist does not exist."
    action={<LinkButton href="#/watchlists">All watchlists</LinkButton>}
  >
    It may have been deleted, or it belongs to another account.
  </EmptyState>
);

const tabNames = ["items", "runs", "settings"] as const;

interface ShownListProps {
  readonly list: Watchlist;
  readonly query: Query<Watchlist>;
  readonly tab: string | undefined;
  /** The filter of the items tab. */
  readonly filter: ItemFilter;
}

function ShownList({ list, query, tab, filter }: ShownListProps) {
  const { run: latest, refresh } = useLatestRun(list, query.refresh);
  useEndOfHold(list, latest, query.refresh);
  const current = tabNames.find((name) => name === tab) ?? "items";
  const labels: Record<(typeof tabNames)[number], ComponentChildren> = {
    items: <TabLabel words="Items" count={list.item_count} />,
    runs: <TabLabel words="Runs" count={list.run_count} />,
    settings: "Settings",
  };
  return (
    <>
      <ListFacts list={list} />
      {latest?.status === "running" && <RunProgress run={latest} list={list} />}
      {latest?.status === "held" && <HeldRun run={latest} list={list} onDecided={refresh} />}
      <Tabs
        label="About the watchlist"
        tabs={tabNames.map((name) => ({ name, label: labels[name] }))}
        current={current}
        onChange={(name) =>
          replacePlace(
            linkTo(`/watchlists/${list.id}`, { tab: name === "items" ? undefined : name }),
          )
        }
      >
        <TabContent
          tab={current}
          list={list}
          filter={filter}
          latest={latest}
          onChanged={query.refresh}
        />
      </Tabs>
    </>
  );
}

/**
 * Reloads a watchlist every two seconds after its held run `latest` was released or discarded,
 * until the service has applied the decision. Only then can the watchlist run again, and its items
 * are final.
 */
function useEndOfHold(
  list: Watchlist,
  latest: WatchlistRun | undefined,
  refresh: () => void,
): void {
  const isDecided =
    list.last_run_status === "held" && latest !== undefined && latest.status !== "held";
  useEffect(() => {
    if (!isDecided) return undefined;
    const timer = setInterval(refresh, busySeconds * 1_000);
    return () => clearInterval(timer);
  }, [isDecided, refresh]);
}

function TabLabel({ words, count }: { readonly words: string; readonly count: number }) {
  return (
    <>
      {words} <span class="tab-count number">{formatCount(count)}</span>
    </>
  );
}

interface TabContentProps {
  readonly tab: (typeof tabNames)[number];
  readonly list: Watchlist;
  readonly filter: ItemFilter;
  readonly latest: WatchlistRun | undefined;
  readonly onChanged: () => void;
}

function TabContent({ tab, list, filter, latest, onChanged }: TabContentProps) {
  if (tab === "runs") return <RunsTab list={list} latest={latest} />;
  if (tab === "settings") return <SettingsTab list={list} onChanged={onChanged} />;
  return <ItemsTab list={list} filter={filter} onChanged={onChanged} />;
}
