import { useState } from "preact/hooks";
import type { ApiKey, List } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { csvOf } from "../../format/csv.ts";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type ChargesQuery, useCharges } from "./charges.ts";
import { ChargesNote } from "./charges-note.tsx";
import { type CauseUsage, type Grouping, usageBy } from "./usage-by-cause.ts";
import "./usage-card.css";

const spans = [
  ["1", "The last 24 hours"],
  ["7", "The last 7 days"],
  ["30", "The last 30 days"],
] as const;

const groupings = [
  ["cause", "By watchlist or endpoint"],
  ["key", "By API key"],
] as const;

const captions: Readonly<Record<Grouping, string>> = {
  cause: "Credits by watchlist and endpoint",
  key: "Credits by API key",
};

/**
 * Shows a table of the credits that were spent, by watchlist and endpoint or by API key. Buttons
 * save the table as CSV or JSON.
 */
export function UsageByCauseCard() {
  const [days, setDays] = useState("7");
  const [grouping, setGrouping] = useState<Grouping>("cause");
  const charges = useCharges(Number(days));
  return (
    <Card title="Credits by watchlist, endpoint and API key">
      <div class="row usage-choice">
        <SelectFilter label="Charges to sum" choices={spans} value={days} onChange={setDays} />
        <SelectFilter
          label="Sum by"
          choices={groupings}
          value={grouping}
          onChange={(value) => setGrouping(value === "key" ? "key" : "cause")}
        />
      </div>
      <Loaded query={charges}>
        {({ entries }) => (
          <Sums usage={usageBy(grouping, entries)} charges={charges} caption={captions[grouping]} />
        )}
      </Loaded>
    </Card>
  );
}

interface SumsProps {
  readonly usage: readonly CauseUsage[];
  readonly charges: ChargesQuery;
  readonly caption: string;
}

function Sums({ usage, charges, caption }: SumsProps) {
  const names = useNames(usage);
  const credits = usage.reduce((total, one) => total + one.credits, 0);
  return (
    <>
      <div class="row">
        <ChargesNote charges={charges} />
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
        caption={caption}
        columns={columnsFor(names, credits)}
        rows={usage}
        rowKey={({ kind, cause }) => `${kind} ${cause}`}
        empty={<EmptyState title="Nothing was charged in this time span." />}
      />
    </>
  );
}

type Names = ReadonlyMap<string, string>;

/**
 * Returns the names of the watchlists and API keys, by ID. A deleted watchlist or a revoked key has
 * no name.
 */
function useNames(usage: readonly CauseUsage[]): Names {
  const keys = useQuery((api, signal) => api.get<List<ApiKey>>("api_keys", { signal }), []);
  const lists = useWatchlistNames(
    usage.flatMap(({ kind, cause }) => (kind === "watchlist" ? [cause] : [])),
  );
  const ofKeys = (keys.data?.data ?? []).map(({ id, name }) => [id, name] as const);
  return new Map([...(lists ?? []), ...ofKeys]);
}

const kindWords: Readonly<Record<CauseUsage["kind"], string>> = {
  watchlist: "watchlist",
  endpoint: "endpoint",
  key: "API key",
  runs: "no key",
  not_recorded: "calls before the service recorded keys",
};

function Cause({ usage, names }: { readonly usage: CauseUsage; readonly names: Names }) {
  const { kind, cause } = usage;
  const name = names.get(cause);
  if (kind === "watchlist") {
    if (name === undefined) return <code>{cause}</code>;
    return <a href={linkTo(`/watchlists/${cause}`)}>{name}</a>;
  }
  if (kind === "runs" || kind === "not_recorded") return <>{cause}</>;
  return name === undefined ? <code>{cause}</code> : <>{name}</>;
}

const columnsFor = (names: Names, credits: number): readonly Column<CauseUsage>[] => [
  {
    head: "Spent by",
    isRowHead: true,
    cell: (usage) => <Cause usage={usage} names={names} />,
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

/** A bar for a share of the total, with the share as text. */
const Share = ({ of }: { readonly of: number }) => (
  <span class="share">
    <svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-rest" width="100" height="8" />
      <rect class="share-part" width={of * 100} height="8" />
    </svg>
    {of > 0 && of < smallestShare ? "< 0.1%" : formatShare(of)}
  </span>
);

/** Smaller shares are shown as `< 0.1%`, because rounding would show `0%`. */
const smallestShare = 0.001;

const shown = ({ kind, cause, charges, items, credits }: CauseUsage, names: Names) => ({
  kind,
  cause,
  name: names.get(cause) ?? null,
  charges,
  items,
  credits,
});

const usageCsv = (usage: readonly CauseUsage[], names: Names): string =>
  csvOf(
    ["kind", "cause", "name", "charges", "items", "credits"],
    usage.map((one) => Object.values(shown(one, names))),
  );

const usageJson = (usage: readonly CauseUsage[], names: Names): string =>
  `${JSON.stringify(
    usage.map((one) => shown(one, names)),
    undefined,
    2,
  )}\n`;
