import type { ComponentChildren } from "preact";
import "./filters.css";

/** What a listing is narrowed by, above it. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return <div class="filters">{children}</div>;
}

interface ChoiceProps {
  /** What is chosen, such as `State`. */
  readonly label: string;
  /** Values and their labels; the empty value means all. */
  readonly choices: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A few choices side by side. */
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

/** Many choices, one of which is shown. */
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
