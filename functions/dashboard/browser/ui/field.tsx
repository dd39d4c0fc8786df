import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { fieldMessage } from "./field-message.ts";

/** Attributes that connect a control with its label, hint and error. Spread them on the control. */
export interface ControlAttributes {
  readonly id: string;
  readonly class: "control";
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /**
   * The error of the value; undefined for a valid value. In an error of the API, the label replaces
   * the name of the parameter.
   */
  readonly error?: string | undefined;
  /** True adds "(optional)" to the label. */
  readonly optional?: boolean;
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

/**
 * Shows a control with its label: `<Field label="Name">{(control) => <input {...control}
 * />}</Field>`.
 */
export function Field({ label, hint, error, optional, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  const describedBy = described.filter((part) => part !== false).join(" ");
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="muted"> (optional)</span>}
      </label>
      {children({
        id,
        class: "control",
        "aria-describedby": describedBy === "" ? undefined : describedBy,
        "aria-invalid": error === undefined ? undefined : "true",
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {fieldMessage(label, error)}
        </p>
      )}
    </div>
  );
}

interface CheckboxProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A checkbox with its label. The caller keeps the state in `checked`. */
export function Checkbox({ label, checked, onChange, disabled }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
