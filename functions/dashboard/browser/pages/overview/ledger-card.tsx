import { useState } from "preact/hooks";
import type { CreditTransaction, List } from "../../api/resources.ts";
import { usePages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { formatCount } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { Card } from "../../ui/card.tsx";
import { Filters, SelectFilter } from "../../ui/filters.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { balanceChange, itemsOf, purposeOf, typeWords } from "./transaction-words.ts";

const pageSize = 20;
const types = [
  ["", "All types"],
  ["reserve", "Holds"],
  ["charge", "Charges"],
  ["refund", "Refunds"],
  ["purchase", "Purchases"],
  ["grant", "Grants"],
  ["adjust", "Adjustments"],
] as const;

/** Shows the account's ledger entries, newest first, with a filter by type. */
export function LedgerCard() {
  const [type, setType] = useState("");
  const pages = usePages<CreditTransaction>(
    (api, cursor, signal) =>
      api.get<List<CreditTransaction>>("credit_transactions", {
        signal,
        query: { limit: pageSize, starting_after: cursor, type: type === "" ? undefined : type },
      }),
    [type],
  );
  const listIds = pages.entries?.flatMap(({ watchlist_id: id }) => (id === undefined ? [] : [id]));
  const names = useWatchlistNames(listIds ?? []);
  return (
    <Card title="Ledger" flush>
      <p class="muted card-lead">
        Before a call or a run step reads items, a hold reserves credits: the balance decreases. The
        charge then spends credits of the hold, and does not change the balance. A refund returns
        the rest of the hold.
      </p>
      <Filters>
        <SelectFilter label="Type" choices={types} value={type} onChange={setType} />
      </Filters>
      <Table
        caption="Ledger"
        columns={columnsWith(names)}
        rows={pages.entries}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.refresh}
        empty={<EmptyState title="There are no entries of this type." />}
      />
      <Pager pages={pages} />
    </Card>
  );
}

const columnsWith = (
  names: ReadonlyMap<string, string> | undefined,
): readonly Column<CreditTransaction>[] => [
  { head: "Entry", isRowHead: true, cell: (entry) => <Type entry={entry} /> },
  { head: "For", cell: (entry) => <Purpose entry={entry} names={names} /> },
  {
    head: "Items",
    align: "end",
    cell: (entry) => <span class="nowrap">{itemsOf(entry)}</span>,
  },
  { head: "Credits", align: "end", cell: ({ credits }) => formatCount(credits) },
  { head: "Balance change", align: "end", cell: balanceChange },
  { head: "Balance", align: "end", cell: ({ balance_after: after }) => formatCount(after) },
  { head: "When", cell: ({ created_at: at }) => <RelativeTime time={at} /> },
];

function Type({ entry }: { readonly entry: CreditTransaction }) {
  const [type, meaning] = typeWords(entry);
  return (
    <span class="two-lines">
      {type}
      <span class="muted small nowrap">{meaning}</span>
    </span>
  );
}

interface PurposeProps {
  readonly entry: CreditTransaction;
  readonly names: ReadonlyMap<string, string> | undefined;
}

/** Shows what an entry paid for. A deleted watchlist has no name and no link. */
function Purpose({ entry, names }: PurposeProps) {
  const { watchlist_id: id, scraper } = entry;
  const name = id === undefined ? undefined : names?.get(id);
  return (
    <span class="two-lines">
      <span>
        {name !== undefined && (
          <>
            <a href={linkTo(`/watchlists/${id}`)}>{name}</a>:{" "}
          </>
        )}
        {purposeOf(entry)}
      </span>
      {scraper !== undefined && <span class="muted small">{scraper}</span>}
    </span>
  );
}
