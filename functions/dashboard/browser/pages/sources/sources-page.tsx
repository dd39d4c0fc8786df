import { useState } from "preact/hooks";
import type { List, Source } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatShare } from "../../format/numbers.ts";
import { Page } from "../../shell/page.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const windows = [
  { name: "last_hour", label: "Last hour" },
  { name: "last_day", label: "Last 24 hours" },
] as const;
type WindowName = (typeof windows)[number]["name"];

/** The polling interval in seconds. The service writes health once a minute. */
const pollSeconds = 60;

/** The page with the health of the source of each scraper: how it answered recent reads. */
export function SourcesPage() {
  const [shown, setShown] = useState<WindowName>("last_hour");
  const sources = useQuery(
    (api, signal) => api.get<List<Source>>("watchlists/sources", { signal }),
    [],
    {
      poll: () => pollSeconds,
    },
  );
  const label = windows.find(({ name }) => name === shown)?.label ?? "";
  return (
    <Page
      title="Sources"
      lead="How the source of each scraper answered the reads of all accounts. A source is the system that answers a scraper."
    >
      <Tabs label="Window" tabs={windows} current={shown} onChange={setShown}>
        <Card title={label} flush>
          <Table
            caption={`Health of the sources, ${label.toLowerCase()}`}
            columns={columns(shown)}
            rows={sources.data?.data}
            rowKey={({ id }) => id}
            error={sources.error}
            onRetry={sources.refresh}
            empty={<EmptyState title="There are no sources." />}
          />
        </Card>
      </Tabs>
      <ul class="muted small source-notes">
        <li>
          The status follows the success of the last hour: operational from 95%, degraded from 50%,
          otherwise down. It is unknown if fewer than 10 items were read.
        </li>
        <li>Rates are shown from 10 items on. Success includes items that do not exist.</li>
        <li>
          The quota shows how much is left of the calls that the source allows, if the source
          reports it.
        </li>
      </ul>
    </Page>
  );
}

function columns(shown: WindowName): readonly Column<Source>[] {
  const share = (
    head: string,
    name: "success_rate" | "partial_rate" | "unavailable_rate" | "not_found_rate",
  ): Column<Source> => ({
    head,
    align: "end",
    cell: (source) => shareText(source[shown][name]),
  });
  return [
    { head: "Scraper", isRowHead: true, cell: ({ id }) => <ScraperName id={id} /> },
    { head: "Status", cell: ({ status }) => <StateBadge state={status} /> },
    share("Success", "success_rate"),
    share("Partial", "partial_rate"),
    share("Unavailable", "unavailable_rate"),
    share("Not found", "not_found_rate"),
    {
      head: "Latency",
      align: "end",
      cell: (source) => <Latency latency={source[shown].latency_ms} />,
    },
    { head: "Data age", align: "end", cell: (source) => ageText(source[shown].data_age_seconds) },
    {
      head: "Quota",
      cell: ({ quota }) =>
        quota === null ? <span class="muted">–</span> : <StateBadge state={quota} />,
    },
    { head: "Last read", cell: (source) => <RelativeTime time={source.updated_at} none="none" /> },
  ];
}

const shareText = (share: number | null): string => (share === null ? "–" : formatShare(share));

type LatencyTimes = Source["last_hour"]["latency_ms"];

/** Shows the median latency of calls, and below it the 95th percentile. */
function Latency({ latency }: { readonly latency: LatencyTimes }) {
  if (latency === null) return <>–</>;
  return (
    <span class="latency">
      ≤ {secondsText(latency.median)}{" "}
      <span class="muted small">p95 ≤ {secondsText(latency.p95)}</span>
    </span>
  );
}

const secondsText = (milliseconds: number): string => `${milliseconds / 1_000} s`;

const ageText = (seconds: number | null): string => {
  if (seconds === null) return "–";
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};

/** Shows the ID of a scraper. A line break in the ID is allowed only after the platform. */
function ScraperName({ id }: { readonly id: string }) {
  const [platform, tier] = id.split(".");
  return (
    <code class="scraper-name">
      {platform}.<wbr />
      {tier}
    </code>
  );
}
