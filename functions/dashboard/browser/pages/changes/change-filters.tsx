import { linkTo } from "../../shell/router.ts";
import {
  Filters,
  NumberFilter,
  Segmented,
  SelectFilter,
  watchlistChoices,
} from "../../ui/filters.tsx";
import {
  type ChangeFilter,
  comparisons,
  fieldsOf,
  hasSize,
  kinds,
  sizesOf,
  sorts,
  spans,
} from "./change-filter.ts";

interface ChangeFiltersProps {
  readonly filter: ChangeFilter;
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly onChange: (part: Partial<ChangeFilter>) => void;
}

/**
 * Shows the filters of the page, and explains the rows if they are net changes or items that sold
 * out.
 */
export function ChangeFilters({ filter, names, onChange }: ChangeFiltersProps) {
  return (
    <>
      <Filters>
        <Segmented
          label="Time span"
          choices={spans}
          value={filter.span}
          onChange={(span) => onChange({ span })}
        />
        <Segmented
          label="Compare"
          choices={comparisons}
          value={filter.compare}
          onChange={(compare) => onChange({ compare })}
        />
        <SelectFilter
          label="Kind of change"
          choices={[["", "All changes"], ...kinds]}
          value={filter.kind}
          onChange={(kind) => onChange({ kind })}
        />
        <SelectFilter
          label="Watchlist"
          choices={watchlistChoices(names, filter.watchlist)}
          value={filter.watchlist}
          onChange={(watchlist) => onChange({ watchlist })}
        />
        <SelectFilter
          label="Field"
          choices={[
            ["", "All fields"],
            ...fieldsOf(filter.kind).map((name) => [name, name] as const),
          ]}
          value={filter.field}
          onChange={(field) => onChange({ field })}
        />
        {hasSize(filter) && <SizeChoices filter={filter} onChange={onChange} />}
      </Filters>
      <Explanation filter={filter} />
    </>
  );
}

/** Shows the controls for the sort order and for the minimum size of a change. */
function SizeChoices({ filter, onChange }: Omit<ChangeFiltersProps, "names">) {
  const { percent, amount } = sizesOf(filter);
  return (
    <>
      <SelectFilter
        label="Order"
        choices={sorts}
        value={filter.sort}
        onChange={(sort) => onChange({ sort })}
      />
      <NumberFilter
        label="Minimum change in percent"
        placeholder="Min. %"
        value={filter.percent}
        error={percent.error}
        onChange={(text) => onChange({ percent: text })}
      />
      <NumberFilter
        label="Minimum change as an amount"
        placeholder="Min. amount"
        value={filter.amount}
        error={amount.error}
        onChange={(text) => onChange({ amount: text })}
      />
    </>
  );
}

/**
 * Explains the rows if each row compares the value at the start of the time span with the value
 * now. For items that sold out, links to the page with all items that are out of stock now.
 */
function Explanation({ filter: { compare, kind, span } }: { readonly filter: ChangeFilter }) {
  const start = span === "1" ? "midnight" : `${span} days ago`;
  return (
    <>
      {compare === "period" && (
        <p class="muted small">
          Each row shows a field of an item: its value at the start of the time span ({start}), and
          its value now. A number that is the same at both times has no row.
        </p>
      )}
      {kind === "sold_out" && (
        <p class="muted small">
          Items that sold out before this time span are not listed.{" "}
          <a href={linkTo("/stock")}>All items that are out of stock now</a>
        </p>
      )}
    </>
  );
}
