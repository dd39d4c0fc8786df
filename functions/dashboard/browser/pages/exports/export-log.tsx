import type { S3Export } from "../../api/resources.ts";
import type { Pages } from "../../api/use-pages.ts";
import { useWatchlistNames } from "../../api/use-watchlist-names.ts";
import { formatCount } from "../../format/numbers.ts";
import { formatBytes } from "../../format/sizes.ts";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button, WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Filters, Segmented } from "../../ui/filters.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { reasonInWords } from "./store-words.ts";

interface ExportLogProps {
  readonly pages: Pages<S3Export>;
  /** The state by which the log is filtered. An empty string shows all states. */
  readonly state: string;
  /** The reason why a backfill is not possible now; undefined if a backfill is possible. */
  readonly blocked: string | undefined;
  readonly onBackfill: () => void;
}

const path = "/exports";
const states = [
  ["", "All"],
  ["pending", "Pending"],
  ["done", "Done"],
  ["failed", "Failed"],
] as const;

/** The states by which the export log can be filtered. */
export const exportStates: readonly string[] = states.map(([state]) => state).filter(Boolean);

/**
 * Shows the export log, newest run first, with a filter by state. The button for a backfill calls
 * `onBackfill`. If `blocked` has a reason, the button is disabled and shows the reason.
 */
export function ExportLog({ pages, state, blocked, onBackfill }: ExportLogProps) {
  const names = useWatchlistNames(pages.entries?.map((one) => one.watchlist_id) ?? []);
  return (
    <Card
      title="Exports"
      flush
      actions={
        <WriteButton small disabledReason={blocked} onClick={onBackfill}>
          Backfill a time span
        </WriteButton>
      }
    >
      <Filters>
        <Segmented
          label="State"
          choices={states}
          value={state}
          onChange={(value) => replacePlace(linkTo(path, { state: value }))}
        />
      </Filters>
      <Table
        caption="Exports"
        columns={columnsWith(names)}
        rows={pages.entries}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.refresh}
        empty={<NoExports isFiltered={state !== ""} hasMore={pages.hasMore} />}
      />
      <Pager pages={pages} />
    </Card>
  );
}

const columnsWith = (
  names: ReadonlyMap<string, string> | undefined,
): readonly Column<S3Export>[] => [
  { head: "Run", isRowHead: true, cell: (entry) => runCell(entry, names) },
  { head: "State", cell: stateCell },
  { head: "Objects", align: "end", cell: ({ objects }) => formatCount(objects) },
  { head: "Size", align: "end", cell: ({ bytes }) => formatBytes(bytes) },
  { head: "Attempts", align: "end", cell: ({ attempt_count: count }) => count },
  { head: "Run ended", cell: ({ created_at: time }) => <RelativeTime time={time} /> },
  {
    head: "Manifest",
    align: "end",
    cell: ({ manifest_key: key, run_id: run }) =>
      key === null ? (
        <span class="muted">–</span>
      ) : (
        <CopyButton text={key} what={`the manifest's key, ${run}`} />
      ),
  },
];

function runCell(
  { watchlist_id: listId, run_number: number }: S3Export,
  names: ReadonlyMap<string, string> | undefined,
) {
  const name = names?.get(listId);
  return (
    <span class="export-run">
      {name === undefined ? (
        <span>{listId}</span>
      ) : (
        <a href={linkTo(`/watchlists/${listId}`)}>{name}</a>
      )}
      {number !== null && <span class="muted small">run {formatCount(number)}</span>}
    </span>
  );
}

function stateCell({ state, last_error: error, next_attempt_at: next }: S3Export) {
  return (
    <span class="export-state">
      <StateBadge state={state} />
      {error !== null && <span class="muted small">{reasonInWords(error)}</span>}
      {state === "pending" && error !== null && next !== null && (
        <span class="muted small">
          Next attempt <RelativeTime time={next} />
        </span>
      )}
    </span>
  );
}

function NoExports(props: { readonly isFiltered: boolean; readonly hasMore: boolean }) {
  if (props.hasMore) return <EmptyState title="No match yet. Load more to search older exports." />;
  if (!props.isFiltered) {
    return (
      <EmptyState title="No exports yet.">
        Every run that ends after you set a destination appears here.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No export is in this state."
      action={<Button onClick={() => replacePlace(linkTo(path))}>Show all</Button>}
    />
  );
}
