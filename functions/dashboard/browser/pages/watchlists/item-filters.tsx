import { useState } from "preact/hooks";
import type { Watchlist } from "../../api/resources.ts";
import { isoOf, localOf } from "../../format/times.ts";
import {
  changeTimes,
  isTime,
  type ItemFilter,
  itemOrders,
  itemStates,
  lastRun,
} from "./item-filter.ts";

interface ItemFiltersProps {
  readonly list: Watchlist;
  readonly filter: ItemFilter;
  readonly onChange: (filter: ItemFilter) => void;
}

/**
 * Shows the controls for the filters of a watchlist's items (text, state and time of the last
 * change) and for the order of the items.
 */
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
        {itemStates.map(([state, words]) => (
          <button
            key={state}
            type="button"
            aria-pressed={filter.state === state}
            onClick={() => change({ state })}
          >
            {words}
          </button>
        ))}
      </div>
      <ChangedSince
        list={list}
        changed={filter.changed}
        onChange={(changed) => change({ changed })}
      />
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

interface ChangedSinceProps {
  readonly list: Watchlist;
  readonly changed: string;
  readonly onChange: (changed: string) => void;
}

function ChangedSince({ list, changed, onChange }: ChangedSinceProps) {
  // True after the user chose "Changed since…". The filter itself cannot contain this choice before
  // the user enters a time.
  const [isAsked, setAsked] = useState(false);
  const asksTime = isTime(changed) || (isAsked && changed === "");
  const choose = (value: string): void => {
    setAsked(value === "since");
    onChange(value === "since" ? "" : value);
  };
  return (
    <>
      <select
        class="control filter-since"
        aria-label="When it changed"
        value={asksTime ? "since" : changed}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">Changed at any time, or never</option>
        {(list.last_run_at !== null || changed === lastRun) && (
          <option value={lastRun}>Changed in the last run</option>
        )}
        {changeTimes.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
        <option value="since">Changed since…</option>
      </select>
      {asksTime && (
        <input
          type="datetime-local"
          class="control filter-since"
          aria-label="Changed since"
          max="8999-12-31T23:59"
          value={isTime(changed) ? localOf(changed) : ""}
          onChange={(event) => {
            setAsked(true);
            onChange(isoOf(event.currentTarget.value) ?? "");
          }}
        />
      )}
    </>
  );
}
