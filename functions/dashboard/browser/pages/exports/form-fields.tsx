import { Field } from "../../ui/field.tsx";

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
  readonly placeholder?: string;
  readonly value: string;
  readonly error: string | undefined;
  /** True hides the text and prevents browsers from storing it. */
  readonly isSecret?: boolean;
  readonly onChange: (value: string) => void;
}

/**
 * An input for technical text. Turns off corrections by the browser, and removes blanks around the
 * text when the input loses the focus.
 */
export function TextField({ value, placeholder, isSecret, onChange, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...(isSecret ? secretInput : plainInput)}
          autocapitalize="none"
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onBlur={() => onChange(value.trim())}
        />
      )}
    </Field>
  );
}

const plainInput = { type: "text", autocomplete: "off" } as const;
const secretInput = { type: "password", autocomplete: "new-password" } as const;

interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice between a few values, as radio buttons. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { legend, name, choices, value, onChange } = props;
  return (
    <fieldset class="choice">
      <legend class="field-label">{legend}</legend>
      <div class="choice-row">
        {choices.map(([choice, words]) => (
          <label key={choice} class="checkbox">
            <input
              type="radio"
              name={name}
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
