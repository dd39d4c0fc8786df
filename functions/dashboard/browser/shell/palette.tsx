import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Dialog } from "../ui/dialog.tsx";
import { formatCount } from "../format/numbers.ts";
import type { IndexedItem } from "./item-index.ts";
import { type PaletteEntry, type PaletteResults, usePaletteEntries } from "./palette-entries.ts";
import "./palette.css";

/** Calls `open` when the user presses Ctrl-K or Cmd-K while no dialog is open. */
export function usePaletteKey(open: () => void): void {
  const newest = useRef(open);
  newest.current = open;
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) newest.current();
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, []);
}

interface PaletteProps {
  /** All items; undefined if they are not loaded. */
  readonly index: readonly IndexedItem[] | undefined;
  readonly onClose: () => void;
}

/** A dialog that opens a page, a watchlist or an item by its name, ID, label or title. */
export function Palette({ index, onClose }: PaletteProps) {
  const id = useId();
  const [search, setSearch] = useState("");
  // The link of the chosen entry, instead of its index: the entry stays chosen when the results of
  // the service add or remove other entries.
  const [link, setLink] = useState<string>();
  const results = usePaletteEntries(search.trim(), index);
  const { entries } = results;
  const chosen = Math.max(
    0,
    entries.findIndex((entry) => entry.link === link),
  );
  const open = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    location.assign(entry.link);
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Enter") open(entries[chosen]);
    const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    if (next === undefined || entries.length === 0) return;
    event.preventDefault();
    setLink(entries[(next + entries.length) % entries.length]?.link);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        class="control"
        role="combobox"
        aria-label="Page, watchlist or item"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${chosen}`}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder="Page, watchlist, or an item's ID, label or title"
        value={search}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setLink(undefined);
        }}
        onKeyDown={move}
      />
      <ul id={`${id}-list`} class="palette" role="listbox" aria-label="Results">
        {entries.map((entry, n) => (
          <Option
            key={entry.link}
            id={`${id}-${n}`}
            entry={entry}
            isChosen={n === chosen}
            onOpen={() => open(entry)}
          />
        ))}
      </ul>
      <p class="muted small" role="status">
        {statusOf(results)}
      </p>
    </Dialog>
  );
}

function statusOf({ entries, total, isLoading, error }: PaletteResults): string {
  if (error !== undefined) return `The service could not search the items. ${error.message}`;
  if (isLoading) return "Searching…";
  return `${countWords(entries.length, total)}. Arrow keys choose, Enter opens, Esc closes.`;
}

/** Returns the number of results as a string: `No results`, `1 result`, `20 of 3,000 results`. */
function countWords(shown: number, total: number | undefined): string {
  if (total === undefined) return `The first ${formatCount(shown)} results of more`;
  if (total > shown) return `${formatCount(shown)} of ${formatCount(total)} results`;
  if (shown === 0) return "No results";
  return `${formatCount(shown)} ${shown === 1 ? "result" : "results"}`;
}

interface OptionProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}

function Option({ id, entry, isChosen, onOpen }: OptionProps) {
  const option = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li id={id} ref={option} role="option" aria-selected={isChosen} onClick={onOpen}>
      <span class="palette-name">{entry.name}</span>
      <span class="muted small">
        {entry.kind}
        {entry.note !== "" && ` · ${entry.note}`}
      </span>
    </li>
  );
}
