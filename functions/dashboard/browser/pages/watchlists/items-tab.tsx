import { useMemo, useState } from "preact/hooks";
import type { Watchlist, WatchlistItem } from "../../api/resources.ts";
import { type Action, useAction } from "../../api/use-action.ts";
import type { Pages } from "../../api/use-pages.ts";
import { formatCount } from "../../format/numbers.ts";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { Button, WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { ChangeItemsDialog } from "./change-items-dialog.tsx";
import { type ItemFilter, placeOf } from "./item-filter.ts";
import { ItemFilters } from "./item-filters.tsx";
import { itemsCsv } from "./items-csv.ts";
import { ItemsTable } from "./items-table.tsx";
import { LabelsDialog, labelsMax } from "./labels-dialog.tsx";
import { loadItems, useItems } from "./load-items.ts";
import { RemoveItemsDialog } from "./remove-items-dialog.tsx";
import { type Selection, useSelection } from "./use-selection.ts";
import "./items-tab.css";

interface ListProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
}

interface ItemsTabProps extends ListProps {
  /** The filter in the address of the page. */
  readonly filter: ItemFilter;
}

type DialogName = "change" | "label" | "remove";

/**
 * Shows the items of a watchlist, each with its values and its last change. Loads more items while
 * the user scrolls. Calls `onChanged` after the user has added, removed or labeled items.
 */
export function ItemsTab({ list, filter, onChanged }: ItemsTabProps) {
  const [open, setOpen] = useState<DialogName>();
  const now = useMemo(() => new Date(), [filter.changed]);
  const pages = useItems({ list, filter, now });
  const selection = useSelection(pages.entries);
  const download = useAction(async (api) => itemsCsv(await loadItems(api, { list, filter, now })));
  const changed = (): void => {
    selection.clear();
    pages.refresh();
    onChanged();
  };
  return (
    <>
      <Card
        title="Items"
        actions={<Actions list={list} download={download} onChange={() => setOpen("change")} />}
        flush
      >
        <ItemFilters
          list={list}
          filter={filter}
          onChange={(next) => {
            selection.clear();
            replacePlace(linkTo(`/watchlists/${list.id}`, placeOf(next)));
          }}
        />
        {download.error && <ErrorState error={download.error} />}
        {selection.items.length > 0 && <Selected selection={selection} onOpen={setOpen} />}
        <Items list={list} pages={pages} filter={filter} selection={selection} />
      </Card>
      <Dialogs
        open={open}
        list={list}
        items={selection.items}
        onChanged={open === "change" ? onChanged : changed}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

interface ActionsProps {
  readonly list: Watchlist;
  readonly download: Action<void, string>;
  readonly onChange: () => void;
}

function Actions({ list, download, onChange }: ActionsProps) {
  const save = async (): Promise<void> => {
    const text = await download.run();
    if (text !== undefined) saveFile(`items-${list.id}.csv`, text);
  };
  return (
    <div class="row">
      <a class="small" href={linkTo("/stock", { watchlist: list.id })}>
        Out of stock now
      </a>
      <Button
        small
        label="CSV of all items that match the filters"
        busy={download.busy}
        disabledReason={
          list.item_count === 0 ? "The watchlist has no items. Add items first." : undefined
        }
        onClick={() => void save()}
      >
        CSV
      </Button>
      <WriteButton spends small onClick={onChange}>
        Add or remove items
      </WriteButton>
    </div>
  );
}

interface SelectedProps {
  readonly selection: Selection;
  readonly onOpen: (dialog: DialogName) => void;
}

/** The actions for the selected items. */
function Selected({ selection, onOpen }: SelectedProps) {
  const { length: count } = selection.items;
  return (
    <div class="row" role="group" aria-label="Selected items">
      <strong role="status">{formatCount(count)} selected</strong>
      <WriteButton
        spends
        small
        disabledReason={
          count > labelsMax ? `Select at most ${labelsMax} items to label them.` : undefined
        }
        onClick={() => onOpen("label")}
      >
        Label
      </WriteButton>
      <WriteButton spends small variant="danger" onClick={() => onOpen("remove")}>
        Remove
      </WriteButton>
      <Button small variant="quiet" onClick={selection.clear}>
        Clear the selection
      </Button>
    </div>
  );
}

interface DialogsProps extends ListProps {
  readonly open: DialogName | undefined;
  readonly items: readonly WatchlistItem[];
  readonly onClose: () => void;
}

function Dialogs({ open, items, ...props }: DialogsProps) {
  if (open === "change") return <ChangeItemsDialog {...props} />;
  if (open === "label") return <LabelsDialog {...props} items={items} />;
  return open === "remove" ? <RemoveItemsDialog {...props} items={items} /> : null;
}

interface ItemsProps {
  readonly list: Watchlist;
  readonly pages: Pages<WatchlistItem>;
  readonly filter: ItemFilter;
  readonly selection: Selection;
}

function Items({ list, pages, filter, selection }: ItemsProps) {
  const { entries, error, hasMore } = pages;
  const failed = error && <ErrorState error={error} onRetry={pages.refresh} />;
  if (entries === undefined) return failed ?? <Skeleton lines={6} />;
  if (entries.length === 0) return failed ?? <NoItems list={list} filter={filter} />;
  const total = hasMore ? totalOf(list, filter) : entries.length;
  const count = formatCount(total ?? entries.length);
  return (
    <>
      {failed}
      <p class="muted small" role="status">
        {total === undefined ? "More than " : ""}
        {count} {count === "1" ? "item" : "items"}
      </p>
      <ItemsTable list={list} pages={pages} entries={entries} total={total} selection={selection} />
    </>
  );
}

/**
 * Returns the number of items that match the filter, from the counts of the watchlist. Returns
 * undefined if the filter selects by more than the state, because the watchlist has only counts by
 * state.
 */
function totalOf(list: Watchlist, { state, changed, search }: ItemFilter): number | undefined {
  if (changed !== "" || search.trim() !== "") return undefined;
  const counts: Readonly<Record<string, number>> = list.items_by_state;
  return state === "" ? list.item_count : counts[state];
}

function NoItems({ list, filter }: Pick<ItemsProps, "list" | "filter">) {
  if (list.item_count === 0) {
    return <EmptyState title="This watchlist has no items." />;
  }
  return (
    <EmptyState title="No items match the filter.">
      {filter.changed !== "" && "No item changed or was delisted since then."}
    </EmptyState>
  );
}
