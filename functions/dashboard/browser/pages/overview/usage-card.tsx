import { useState } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { CreditTransaction, List } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
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
import { type SourceUsage, usageBySource } from "./usage-by-source.ts";

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

/** Shows which watchlists and endpoints the credits were spent on, and saves it as CSV. */
export function UsageBySourceCard() {
  const [days, setDays] = useState("1");
  const [read, setRead] = useState<ReadCharges>();
  const sum = useAction((api, since: Date) => readCharges(api, since));
  const start = async (): Promise<void> => {
    setRead(await sum.run(new Date(Date.now() - Number(days) * dayMs)));
  };
  return (
    <Card title="Credits by watchlist and endpoint">
      <div class="row">
        <SelectFilter label="Charges to sum" choices={spans} value={days} onChange={setDays} />
        <Button busy={sum.busy} onClick={() => void start()}>
          Sum the charges
        </Button>
      </div>
      <p class="muted small">
        The ledger records the watchlist or the endpoint of a charge, not the API key.
      </p>
      {sum.error && <ErrorState error={sum.error} />}
      {read && <Sums {...read} />}
    </Card>
  );
}

function Sums({ entries, since }: ReadCharges) {
  const usage = usageBySource(entries);
  const names = useWatchlistNames(usage.flatMap((one) => (isList(one) ? [one.source] : [])));
  const credits = usage.reduce((total, one) => total + one.credits, 0);
  return (
    <>
      <div class="row">
        <span class="muted small" role="status">
          {formatCount(entries.length)} {entries.length === 1 ? "charge" : "charges"} since{" "}
          {formatDateTime(since)}
        </span>
        {usage.length > 0 && (
          <Button small onClick={() => saveFile("usage.csv", usageCsv(usage, names))}>
            CSV
          </Button>
        )}
      </div>
      <Table
        caption="Credits by watchlist and endpoint"
        columns={columnsFor(names, credits)}
        rows={usage}
        rowKey={({ source }) => source}
        empty={<EmptyState title="Nothing was charged in this time." />}
      />
    </>
  );
}

const isList = ({ kind }: SourceUsage): boolean => kind === "watchlist";

const columnsFor = (
  names: ReadonlyMap<string, string> | undefined,
  credits: number,
): readonly Column<SourceUsage>[] => [
  {
    head: "Spent on",
    isRowHead: true,
    cell: (usage) =>
      isList(usage) ? (
        <a href={linkTo(`/watchlists/${usage.source}`)}>
          {names?.get(usage.source) ?? usage.source}
        </a>
      ) : (
        <code>{usage.source}</code>
      ),
  },
  { head: "Kind", cell: ({ kind }) => kind },
  { head: "Charges", align: "end", cell: ({ charges }) => formatCount(charges) },
  { head: "Items", align: "end", cell: ({ items }) => formatCount(items) },
  { head: "Credits", align: "end", cell: (usage) => formatCount(usage.credits) },
  {
    head: "Share",
    align: "end",
    cell: (usage) => (credits === 0 ? "–" : formatShare(usage.credits / credits)),
  },
];

const usageCsv = (
  usage: readonly SourceUsage[],
  names: ReadonlyMap<string, string> | undefined,
): string =>
  csvOf(
    ["kind", "source", "watchlist_name", "charges", "items", "credits"],
    usage.map(({ kind, source, charges, items, credits }) => [
      kind,
      source,
      names?.get(source),
      charges,
      items,
      credits,
    ]),
  );
