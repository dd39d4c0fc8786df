import { useState } from "preact/hooks";
import type { WatchlistItem } from "../../api/resources.ts";

/** The items that the user selected in the table. */
export interface Selection {
  readonly items: readonly WatchlistItem[];
  readonly isSelected: (item: WatchlistItem) => boolean;
  /** True if every loaded item is selected. */
  readonly isAll: boolean;
  /** Selects an item, or removes it from the selection. */
  readonly toggle: (item: WatchlistItem) => void;
  /** Selects every loaded item, or none if all are selected. */
  readonly toggleAll: () => void;
  /** Selects no item. */
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/**
 * Keeps a selection of items. `items` contains only the selected items that are loaded. If a
 * selected item is unloaded and later loaded again, it is still selected.
 */
export function useSelection(loaded: readonly WatchlistItem[] = []): Selection {
  const [ids, setIds] = useState(none);
  const items = loaded.filter(({ id }) => ids.has(id));
  const isAll = items.length > 0 && items.length === loaded.length;
  return {
    items,
    isSelected: ({ id }) => ids.has(id),
    isAll,
    toggle({ id }) {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
    },
    toggleAll: () => setIds(isAll ? none : new Set(loaded.map(({ id }) => id))),
    clear: () => setIds(none),
  };
}
