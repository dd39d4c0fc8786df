import { useState } from "preact/hooks";
import type { Watchlist } from "../../api/resources.ts";
import { type ItemFilter, itemOrders, lastRun, timeOf } from "./item-filter.ts";

interface ItemFiltersProps {
  readonly list: Watchlist;
  readonly filter: ItemFilter;
  readonly onChange: (filter: ItemFilter) => void;
}

const states = [undefined, "new", "active", "delisted"] as const;

/** Shows the filters of a watchlist's items: text, state and time of the last change. Also their order. */
export function ItemFilters({ list, filter, onChange }: ItemFiltersProps) {
  const change = (part: Partial<ItemFilter>): void => onChange({ ...filter, ...part });
  return (
    <div class="row item-filters" role="search" aria-label="Items">
      <input
        type="search"
        class="control filter-name"
        aria-label="Search by ID, label or title"
        placeholder="ID, label or title"
        spellcheck={false}
        value={filter.search}
        onInput={(event) => change({ search: event.currentTarget.value })}
      />
      <div class="segmented" role="group" aria-label="State">
        {states.map((state) => (
          <button
            key={state ?? "all"}
            type="button"
            aria-pressed={filter.state === state}
            onClick={() => change({ state })}
          >
            {state === undefined ? "All" : state.replace(/^./, (letter) => letter.toUpperCase())}
          </button>
        ))}
      </div>
      <ChangedSince list={list} onChange={(changedSince) => change({ changedSince })} />
      <select
        class="control filter-since"
        aria-label="Order"
        value={filter.order}
        onChange={(event) => change({ order: event.currentTarget.value })}
      >
        {itemOrders.map(([order, words]) => (
          <option key={order} value={order}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

const hourMs = 3_600_000;
const spans = [
  ["hour", "Changed in the last hour", hourMs],
  ["day", "Changed in the last 24 hours", 24 * hourMs],
  ["week", "Changed in the last 7 days", 7 * 24 * hourMs],
] as const;

interface ChangedSinceProps {
  readonly list: Watchlist;
  readonly onChange: (since: ItemFilter["changedSince"]) => void;
}

function ChangedSince({ list, onChange }: ChangedSinceProps) {
  const [choice, setChoice] = useState("any");
  const choose = (value: string): void => {
    setChoice(value);
    const span = spans.find(([name]) => name === value)?.[2];
    if (span !== undefined) onChange(new Date(Date.now() - span).toISOString());
    else onChange(value === "run" ? lastRun : undefined);
  };
  return (
    <>
      <select
        class="control filter-since"
        aria-label="When it changed"
        value={choice}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="any">Changed at any time, or never</option>
        {list.last_run_at !== null && <option value="run">Changed in the last run</option>}
        {spans.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
        <option value="since">Changed since…</option>
      </select>
      {choice === "since" && (
        <input
          type="datetime-local"
          class="control filter-since"
          aria-label="Changed since"
          max="8999-12-31T23:59"
          onChange={(event) => onChange(timeOf(event.currentTarget.value))}
        />
      )}
    </>
  );
}
