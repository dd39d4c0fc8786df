import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./filters.css";

/** A row of filters above a listing. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return <div class="filters">{children}</div>;
}

interface ChoiceProps {
  /** The name of the filter, such as `State`. */
  readonly label: string;
  /** The values with their labels. The empty value means "no filter". */
  readonly choices: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A filter that shows all choices side by side. For a few choices. */
export function Segmented({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <div class="segmented" role="group" aria-label={label}>
      {choices.map(([choice, words]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === value}
          onClick={() => onChange(choice)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** A filter that is a select box. For many choices. */
export function SelectFilter({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <select
      class="control"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  );
}

/**
 * Returns the choices of a filter by watchlist. Names a chosen watchlist that the account does not
 * have, so that the filter shows what it selects.
 * @param names the names of the watchlists by ID; undefined while they are loading
 */
export const watchlistChoices = (
  names: ReadonlyMap<string, string> | undefined,
  chosen: string,
): readonly (readonly [string, string])[] => [
  ["", "All watchlists"],
  ...(names ?? []),
  ...(chosen !== "" && names?.has(chosen) !== true
    ? [[chosen, names === undefined ? chosen : `${chosen} (unknown)`] as const]
    : []),
];

interface NumberFilterProps {
  /** The name of the filter, such as `Minimum change in percent`. */
  readonly label: string;
  /** A short form of the label, shown in the empty field. */
  readonly placeholder: string;
  /** The text as the user typed it. */
  readonly value: string;
  /** What the user should enter instead; undefined for a valid text. */
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A filter in which the user types a number. Shows the error below the input. */
export function NumberFilter(props: NumberFilterProps) {
  const { label, placeholder, value, error, onChange } = props;
  const id = useId();
  return (
    <span class="number-filter">
      <input
        class="control"
        inputMode="decimal"
        autocomplete="off"
        aria-label={label}
        aria-invalid={error === undefined ? undefined : "true"}
        aria-describedby={error === undefined ? undefined : id}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {error !== undefined && (
        <span id={id} class="field-error" role="alert">
          {error}
        </span>
      )}
    </span>
  );
}
