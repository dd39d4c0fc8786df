import { useState } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { ApiKey, CreditTransaction, List } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { csvOf } from "../../format/csv.ts";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { formatDateTime } from "../../format/times.ts";
import { linkTo } from "../../shell/router.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type Grouping, type SourceUsage, usageBy } from "./usage-by-source.ts";
import "./usage-card.css";

const spans = [
  ["1", "The last 24 hours"],
  ["7", "The last 7 days"],
  ["30", "The last 30 days"],
] as const;
const dayMs = 86_400_000;
/** The largest page that the API returns. */
const pageSize = 100;
/** The number of pages that a sum reads. */
const pagesMax = 100;

interface ReadCharges {
  readonly entries: readonly CreditTransaction[];
  /** Start of the time whose charges were read. */
  readonly since: Date;
}

/** Reads the charges since a time, newest first; fewer if there are very many. */
async function readCharges(api: ApiClient, since: Date): Promise<ReadCharges> {
  const entries: CreditTransaction[] = [];
  const isIn = ({ created_at: at }: CreditTransaction): boolean => new Date(at) >= since;
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await api.get<List<CreditTransaction>>("credit_transactions", {
      query: { type: "charge", limit: pageSize, starting_after: cursor },
    });
    entries.push(...answer.data.filter(isIn));
    if (answer.next_starting_after == null || !answer.data.every(isIn)) return { entries, since };
    cursor = answer.next_starting_after;
  }
  return { entries, since: new Date(entries.at(-1)?.created_at ?? since) };
}

const groupings = [
  ["source", "Watchlist or endpoint"],
  ["key", "API key"],
] as const;

const captions: Readonly<Record<Grouping, string>> = {
  source: "Credits by watchlist and endpoint",
  key: "Credits by API key",
};

/** Shows what the credits were spent on, and by which API keys. Saves it as CSV or JSON. */
export function UsageBySourceCard() {
  const [days, setDays] = useState("1");
  const [grouping, setGrouping] = useState<Grouping>("source");
  const [read, setRead] = useState<ReadCharges>();
  const sum = useAction((api, since: Date) => readCharges(api, since));
  const start = async (): Promise<void> => {
    setRead(await sum.run(new Date(Date.now() - Number(days) * dayMs)));
  };
  return (
    <Card title="Credits by watchlist, endpoint and API key">
      <div class="row">
        <SelectFilter label="Charges to sum" choices={spans} value={days} onChange={setDays} />
        <SelectFilter
          label="Sum by"
          choices={groupings}
          value={grouping}
          onChange={(value) => setGrouping(value === "key" ? "key" : "source")}
        />
        <Button busy={sum.busy} onClick={() => void start()}>
          Sum the charges
        </Button>
      </div>
      {sum.error && <ErrorState error={sum.error} />}
      {read && <Sums {...read} grouping={grouping} />}
    </Card>
  );
}

function Sums({ entries, since, grouping }: ReadCharges & { readonly grouping: Grouping }) {
  const usage = usageBy(grouping, entries);
  const names = useNames(usage);
  const credits = usage.reduce((total, one) => total + one.credits, 0);
  return (
    <>
      <div class="row">
        <span class="muted small" role="status">
          {formatCount(entries.length)} {entries.length === 1 ? "charge" : "charges"} since{" "}
          {formatDateTime(since)}
        </span>
        {usage.length > 0 && (
          <>
            <Button small onClick={() => saveFile("usage.csv", usageCsv(usage, names))}>
              CSV
            </Button>
            <Button small onClick={() => saveFile("usage.json", usageJson(usage, names))}>
              JSON
            </Button>
          </>
        )}
      </div>
      <Table
        caption={captions[grouping]}
        columns={columnsFor(names, credits)}
        rows={usage}
        rowKey={({ kind, source }) => `${kind} ${source}`}
        empty={<EmptyState title="Nothing was charged in this time." />}
      />
    </>
  );
}

type Names = ReadonlyMap<string, string>;

/** Returns the names of the watchlists and keys in a sum. A deleted or revoked one has no name. */
function useNames(usage: readonly SourceUsage[]): Names {
  const keys = useQuery((api, signal) => api.get<List<ApiKey>>("api_keys", { signal }), []);
  const lists = useWatchlistNames(
    usage.flatMap(({ kind, source }) => (kind === "watchlist" ? [source] : [])),
  );
  const ofKeys = (keys.data?.data ?? []).map(({ id, name }) => [id, name] as const);
  return new Map([...(lists ?? []), ...ofKeys]);
}

const kindWords: Readonly<Record<SourceUsage["kind"], string>> = {
  watchlist: "watchlist",
  endpoint: "endpoint",
  key: "API key",
  runs: "no key",
  not_recorded: "calls before the key was recorded",
};

function Source({ usage, names }: { readonly usage: SourceUsage; readonly names: Names }) {
  const { kind, source } = usage;
  const name = names.get(source);
  if (kind === "watchlist") return <a href={linkTo(`/watchlists/${source}`)}>{name ?? source}</a>;
  if (kind === "runs" || kind === "not_recorded") return <>{source}</>;
  return name === undefined ? <code>{source}</code> : <>{name}</>;
}

const columnsFor = (names: Names, credits: number): readonly Column<SourceUsage>[] => [
  {
    head: "Spent by",
    isRowHead: true,
    cell: (usage) => <Source usage={usage} names={names} />,
  },
  { head: "Kind", cell: ({ kind }) => kindWords[kind] },
  { head: "Charges", align: "end", cell: ({ charges }) => formatCount(charges) },
  { head: "Items", align: "end", cell: ({ items }) => formatCount(items) },
  { head: "Credits", align: "end", cell: (usage) => formatCount(usage.credits) },
  {
    head: "Share",
    align: "end",
    cell: (usage) => (credits === 0 ? "–" : <Share of={usage.credits / credits} />),
  },
];

/** A bar with its share as text. */
const Share = ({ of }: { readonly of: number }) => (
  <span class="share">
    <svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-rest" width="100" height="8" />
      <rect class="share-part" width={of * 100} height="8" />
    </svg>
    {formatShare(of)}
  </span>
);

const shown = ({ kind, source, charges, items, credits }: SourceUsage, names: Names) => ({
  kind,
  source,
  name: names.get(source) ?? null,
  charges,
  items,
  credits,
});

const usageCsv = (usage: readonly SourceUsage[], names: Names): string =>
  csvOf(
    ["kind", "source", "name", "charges", "items", "credits"],
    usage.map((one) => Object.values(shown(one, names))),
  );

const usageJson = (usage: readonly SourceUsage[], names: Names): string =>
  `${JSON.stringify(
    usage.map((one) => shown(one, names)),
    undefined,
    2,
  )}\n`;
