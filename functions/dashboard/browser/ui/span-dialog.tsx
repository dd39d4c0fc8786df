import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { isoOf } from "../format/times.ts";
import { Button } from "./button.tsx";
import { CancelButton, Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { ErrorState } from "./states.tsx";

/** A time span, as ISO 8601 times. If `until` is undefined, the span ends now. */
export interface Span {
  readonly since: string;
  readonly until: string | undefined;
}

interface SpanDialogProps {
  readonly title: string;
  /** An explanation of the action. */
  readonly children: ComponentChildren;
  /** The label of the button that confirms, such as `Recover`. */
  readonly confirm: string;
  readonly busy: boolean;
  /**
   * The error of the last attempt. If its parameter is `since` or `until`, the error is shown at
   * that field.
   */
  readonly error: ApiError | undefined;
  readonly onConfirm: (span: Span) => void;
  readonly onClose: () => void;
}

const hour = 3_600;
const day = 24 * hour;
/**
 * The predefined spans. The last one is five minutes shorter than the retention period, because the
 * browser's clock may differ from the server's.
 */
const presets: Readonly<Record<string, { readonly label: string; readonly seconds: number }>> = {
  hour: { label: "The last hour", seconds: hour },
  day: { label: "The last 24 hours", seconds: day },
  week: { label: "The last 7 days", seconds: 7 * day },
  kept: { label: "The last 30 days, all that is kept", seconds: 30 * day - 300 },
};
const ownTimes = "own";
const noTime = "Enter a valid date and time. The year has four digits.";

/**
 * Asks the user for a time span within the past 30 days, and calls `onConfirm` with the span. Shows
 * the `error` of the last attempt. Calls `onClose` if the user cancels.
 */
export function SpanDialog(props: SpanDialogProps) {
  const { error } = props;
  const [choice, setChoice] = useState("day");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const isOwn = choice === ownTimes;
  const isAtField = isOwn && (error?.param === "since" || error?.param === "until");
  const submit = (): void => {
    const found = isOwn ? faultsIn(since, until) : {};
    setFaults(found);
    if (found.since ?? found.until) return;
    props.onConfirm(isOwn ? { since: isoOf(since) ?? "", until: isoOf(until) } : lately(choice));
  };
  return (
    <Dialog title={props.title} busy={props.busy} onClose={props.onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="dialog-text">{props.children}</div>
        <Field label="Time span">
          {(control) => (
            <select
              {...control}
              value={choice}
              onChange={(event) => setChoice(event.currentTarget.value)}
            >
              {Object.entries(presets).map(([name, { label }]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
              <option value={ownTimes}>Custom times</option>
            </select>
          )}
        </Field>
        {isOwn && (
          <div class="form-row">
            <TimeField
              label="Since"
              hint="In your local time zone."
              value={since}
              error={faults.since ?? messageFor(error, "since")}
              onChange={setSince}
            />
            <TimeField
              label="Until"
              hint="If empty, the span ends now."
              value={until}
              error={faults.until ?? messageFor(error, "until")}
              onChange={setUntil}
            />
          </div>
        )}
        {error && !isAtField && <ErrorState error={error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button type="submit" variant="primary" busy={props.busy}>
            {props.confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The errors of custom times, by field. */
interface Faults {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const faultsIn = (since: string, until: string): Faults => ({
  since: since === "" ? "Enter the start of the time span." : faultOf(since),
  until: faultOf(until),
});

const faultOf = (time: string): string | undefined =>
  time !== "" && isoOf(time) === undefined ? noTime : undefined;

function TimeField(props: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} hint={props.hint} error={props.error}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

const messageFor = (error: ApiError | undefined, param: string): string | undefined =>
  error?.param === param ? error.message : undefined;

const lately = (choice: string): Span => {
  const seconds = presets[choice]?.seconds ?? day;
  return { since: new Date(Date.now() - seconds * 1_000).toISOString(), until: undefined };
};
