import type { ApiError } from "../../api/api-error.ts";
import { Checkbox, Field } from "../../ui/field.tsx";
import type { LimitsDraft } from "./limits-draft.ts";

interface LimitsFormProps {
  readonly draft: LimitsDraft;
  readonly onChange: (draft: LimitsDraft) => void;
  /** The errors of the last estimate and of the last attempt to save. */
  readonly errors: readonly (ApiError | undefined)[];
}

/** Fields for the credits that runs may charge, and for the brake. */
export function LimitsForm({ draft, onChange, errors }: LimitsFormProps) {
  const input = (name: TextName) => ({
    value: draft[name],
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
    error: errors.find((one) => one?.param === params[name])?.message,
  });
  return (
    <div class="form">
      <div class="form-row">
        <LimitField
          {...input("runCredits")}
          label="Credits per run"
          hint="A step that would exceed it waits for the next run. Empty: no limit."
          optional
        />
        <LimitField
          {...input("dayCredits")}
          label="Credits per day"
          hint="For all runs of the watchlist on a UTC day. Empty: no limit."
          optional
        />
      </div>
      <Checkbox
        label="Hold a run in which too many items change"
        checked={draft.isBraked}
        onChange={(isBraked) => onChange({ ...draft, isBraked })}
      />
      {draft.isBraked && (
        <div class="form-row">
          <LimitField
            {...input("maxChangedPercent")}
            label="Changed items, in percent"
            hint="If a larger share changed or was delisted, the events wait until you release or discard the run."
          />
          <LimitField
            {...input("minItems")}
            label="Minimum number of items"
            hint="A run that reads fewer items is never held."
          />
        </div>
      )}
    </div>
  );
}

type TextName = Exclude<keyof LimitsDraft, "isBraked">;

/** The parameters of the API that the errors of the fields name. */
const params: Readonly<Record<TextName, string>> = {
  runCredits: "max_credits_per_run",
  dayCredits: "daily_credit_budget",
  maxChangedPercent: "brake.max_changed_percent",
  minItems: "brake.min_items",
};

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
