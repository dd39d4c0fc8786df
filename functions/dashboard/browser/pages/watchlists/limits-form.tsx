import type { ApiError } from "../../api/api-error.ts";
import { Checkbox, Field } from "../../ui/field.tsx";
import { brakeFields, creditLimits, entriesOf, type LimitsDraft } from "./watchlist-settings.ts";

interface LimitsFormProps {
  readonly draft: LimitsDraft;
  readonly onChange: (draft: LimitsDraft) => void;
  /** The errors of the last estimate and of the last attempt to save. */
  readonly errors: readonly (ApiError | undefined)[];
}

/** Fields for the credits that runs may charge, and for the brake. */
export function LimitsForm({ draft, onChange, errors }: LimitsFormProps) {
  const errorOf = (param: string) => errors.find((one) => one?.param === param)?.message;
  return (
    <div class="form">
      <div class="form-row">
        {entriesOf(creditLimits).map(([name, texts]) => (
          <LimitField
            key={name}
            {...texts}
            value={draft.credits[name]}
            onChange={(value) =>
              onChange({ ...draft, credits: { ...draft.credits, [name]: value } })
            }
            error={errorOf(name)}
            optional
          />
        ))}
      </div>
      <Checkbox
        label="Hold a run in which too many items change"
        checked={draft.isBraked}
        onChange={(isBraked) => onChange({ ...draft, isBraked })}
      />
      {draft.isBraked && (
        <div class="form-row">
          {entriesOf(brakeFields).map(([name, texts]) => (
            <LimitField
              key={name}
              {...texts}
              value={draft.brake[name]}
              onChange={(value) => onChange({ ...draft, brake: { ...draft.brake, [name]: value } })}
              error={errorOf(`brake.${name}`)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface LimitFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly optional?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

const LimitField = ({ label, hint, optional = false, ...props }: LimitFieldProps) => (
  <Field label={label} hint={hint} optional={optional} error={props.error}>
    {(control) => (
      <input
        {...control}
        class="control short-control"
        inputMode="decimal"
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);
