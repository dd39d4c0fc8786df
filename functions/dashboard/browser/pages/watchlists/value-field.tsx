import type { AriaAttributes } from "preact";
import { useState } from "preact/hooks";
import { decimalIn } from "../../format/decimal-input.ts";
import type { TestValue } from "./rule-draft.ts";
import { useMark } from "./rule-problem.ts";

const sources = [
  ["constant", "the value"],
  ["metadata", "the item's metadata"],
  ["field", "the field"],
] as const;
type SourceName = (typeof sources)[number][0];

interface ValueFieldProps {
  /** The name of the rule or test, for the labels: `Rule 1`. */
  readonly about: string;
  /** The path of the value in the rule, such as `value`. */
  readonly part: string;
  readonly type: string;
  readonly value: TestValue | undefined;
  /** The fields of the same read with which the field can be compared. */
  readonly fields: readonly string[];
  /** The initial value of a constant, before the user enters one. */
  readonly first: TestValue;
  readonly onChange: (value: TestValue) => void;
}

/**
 * A control for what a test compares a field with: a constant, a key of the item's metadata, or
 * another field.
 */
export function ValueField(props: ValueFieldProps) {
  const { about, part, type, value, fields, first, onChange } = props;
  const mark = useMark(part);
  const source = sourceOf(value);
  const choose = (name: string): void => {
    if (name === "metadata") onChange({ metadata: "" });
    else if (name === "field") onChange({ field: fields[0] ?? "" });
    else onChange(first);
  };
  return (
    <>
      <select
        class="control"
        aria-label={`${about}: compared with`}
        value={source}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {sources.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      {typeof value === "object" && "metadata" in value && (
        <input
          class="control"
          {...mark}
          aria-label={`${about}: metadata key`}
          placeholder="target_price"
          spellcheck={false}
          autocomplete="off"
          value={value.metadata}
          onInput={(event) => onChange({ metadata: event.currentTarget.value.trim() })}
        />
      )}
      {typeof value === "object" && "field" in value && (
        <select
          class="control"
          {...mark}
          aria-label={`${about}: other field`}
          value={value.field}
          onChange={(event) => onChange({ field: event.currentTarget.value })}
        >
          {fields.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {typeof value !== "object" && (
        <Constant about={about} part={part} type={type} value={value} onChange={onChange} />
      )}
    </>
  );
}

function sourceOf(value: TestValue | undefined): SourceName {
  if (typeof value !== "object") return "constant";
  return "metadata" in value ? "metadata" : "field";
}

interface ConstantProps {
  readonly about: string;
  readonly part: string;
  readonly type: string;
  readonly value: string | number | boolean | undefined;
  readonly onChange: (value: TestValue) => void;
}

function Constant({ about, part, type, value, onChange }: ConstantProps) {
  const mark = useMark(part);
  const label = `${about}: value`;
  if (type === "boolean") {
    return (
      <select
        class="control"
        {...mark}
        aria-label={label}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value === "true")}
      >
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (type === "number") {
    return (
      <NumberField
        label={label}
        part={part}
        value={value}
        unit="amount"
        // An empty field becomes an empty string, for which the service reports an error.
        onChange={(next) => onChange(next ?? "")}
      />
    );
  }
  return (
    <input
      class="control"
      {...mark}
      aria-label={label}
      autocomplete="off"
      value={String(value ?? "")}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface NumberFieldProps extends NumberInputProps {
  readonly label: string;
  /** The part of the rule that this control sets, such as `confirm`. */
  readonly part: string;
}

/** A field for a number of a rule, marked if the service refuses the number. */
export const NumberField = ({ label, part, ...input }: NumberFieldProps) => (
  <NumberInput {...input} {...useMark(part)} aria-label={label} />
);

interface NumberInputProps extends AriaAttributes {
  readonly id?: string;
  readonly value: string | number | boolean | undefined;
  /**
   * With a unit, the field also accepts a decimal comma, and with `percent` a percent sign.
   * Omitted: a plain number.
   */
  readonly unit?: "percent" | "amount";
  /** Receives the number, or the text if it is not a number; undefined for an empty field. */
  readonly onChange: (value: number | string | undefined) => void;
}

/** A field for a number. Shows the text exactly as the user types it, such as `1.` or `1.50`. */
export function NumberInput({ value, unit, onChange, ...attributes }: NumberInputProps) {
  const [text, setText] = useState(String(value ?? ""));
  const written = numberIn(text, unit);
  const isCurrent = written === value || (typeof written === "string" && typeof value !== "number");
  return (
    <input
      {...attributes}
      class="control"
      inputMode="decimal"
      autocomplete="off"
      value={isCurrent ? text : String(value ?? "")}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(numberIn(currentTarget.value, unit));
      }}
    />
  );
}

/**
 * Returns the number in a string, the trimmed text if it is not a number, and undefined if the text
 * is empty.
 */
function numberIn(text: string, unit: NumberInputProps["unit"]): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const typed = unit && decimalIn(trimmed, { unit }).value;
  const number = typed ?? Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

/**
 * Returns the number of a field; NaN if the field is empty or its text is not a number. NaN becomes
 * null in JSON, which the service refuses with an error.
 */
export const numberOf = (value: number | string | undefined): number =>
  typeof value === "number" ? value : Number.NaN;
