import type { ComponentChildren } from "preact";
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
