import { useId } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { SchedulePreview } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Field } from "../../ui/field.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import {
  everyUnits,
  formatInZone,
  intervalMessage,
  ownZone,
  type ScheduleDraft,
  scheduleFieldsOf,
} from "./schedule-draft.ts";
import { useDebounced } from "../../api/use-debounced.ts";

const shownTimes = 5;

/**
 * Loads the next run times of a draft once the draft has not changed for 250 ms. The `error` of the
 * result is the service's error for an invalid draft.
 * @param after the time from which an interval counts, in ISO 8601, such as that of the last run.
 * If it is absent or null, the interval counts from the time of the request.
 */
export function useSchedulePreview(
  draft: ScheduleDraft,
  after?: string | null,
): Query<SchedulePreview> {
  const fields = useDebounced(scheduleFieldsOf(draft));
  return useQuery(
    (api, signal) =>
      api.get<SchedulePreview>("watchlists/schedule", {
        signal,
        query: { ...fields, after: after ?? undefined, count: shownTimes },
      }),
    [JSON.stringify(fields), after ?? undefined],
  );
}

interface ScheduleFormProps {
  readonly draft: ScheduleDraft;
  readonly onChange: (draft: ScheduleDraft) => void;
  readonly preview: Query<SchedulePreview>;
  /** A sentence that explains from which time an interval counts. */
  readonly intervalHint: string;
  /** True for a paused watchlist, which does not run. */
  readonly isPaused?: boolean;
}

/** Fields for an interval or a cron expression with its time zone, and the next run times. */
export function ScheduleForm(props: ScheduleFormProps) {
  const { draft, onChange, preview, intervalHint, isPaused = false } = props;
  const change = (part: Partial<ScheduleDraft>): void => onChange({ ...draft, ...part });
  return (
    <div class="form">
      <div class="segmented" role="group" aria-label="Kind of schedule">
        {(["every", "cron"] as const).map((type) => (
          <button
            key={type}
            type="button"
            aria-pressed={draft.type === type}
            onClick={() => change({ type })}
          >
            {type === "every" ? "At an interval" : "By cron expression"}
          </button>
        ))}
      </div>
      {draft.type === "every" ? (
        <Every draft={draft} change={change} error={messageOf(preview.error, "every")} />
      ) : (
        <Cron draft={draft} change={change} error={preview.error} />
      )}
      <NextRuns preview={preview} hint={intervalHint} isPaused={isPaused} />
    </div>
  );
}

const messageOf = (error: ApiError | undefined, param: string): string | undefined =>
  error?.param === param ? error.message : undefined;

interface PartProps<Problem> {
  readonly draft: ScheduleDraft;
  readonly change: (part: Partial<ScheduleDraft>) => void;
  readonly error: Problem | undefined;
}

function Every({ draft, change, error }: PartProps<string>) {
  return (
    <Field
      label="Runs every"
      hint="From 5 minutes to 7 days, between the starts of two runs."
      error={error && intervalMessage(draft, error)}
    >
      {(control) => (
        <div class="row nowrap schedule-every">
          <input
            {...control}
            inputMode="numeric"
            autocomplete="off"
            value={draft.amount}
            onInput={(event) => change({ amount: event.currentTarget.value })}
          />
          <select
            class="control"
            aria-label="Unit of the interval"
            value={draft.unit}
            onChange={(event) => change({ unit: event.currentTarget.value })}
          >
            {everyUnits.map(([letter, words]) => (
              <option key={letter} value={letter}>
                {words}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}

function Cron({ draft, change, error }: PartProps<ApiError>) {
  const zones = useId();
  return (
    <div class="form-row">
      <Field
        label="Cron expression"
        hint="Minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly."
        error={messageOf(error, "cron")}
      >
        {(control) => (
          <input
            {...control}
            class="control mono"
            autocomplete="off"
            spellcheck={false}
            value={draft.cron}
            onInput={(event) => change({ cron: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Time zone"
        hint="The time zone in which the expression applies."
        error={messageOf(error, "timezone")}
      >
        {(control) => (
          <>
            <input
              {...control}
              list={zones}
              autocomplete="off"
              spellcheck={false}
              value={draft.timezone}
              onInput={(event) => change({ timezone: event.currentTarget.value })}
            />
            <datalist id={zones}>
              {Intl.supportedValuesOf("timeZone").map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  );
}

const scheduleParams: ReadonlySet<string | undefined> = new Set(["every", "cron", "timezone"]);

interface NextRunsProps extends Pick<ScheduleFormProps, "preview"> {
  readonly hint: string;
  readonly isPaused: boolean;
}

function NextRuns({ preview, hint, isPaused }: NextRunsProps) {
  const { data, error, refresh } = preview;
  if (error !== undefined) {
    const isAtField = scheduleParams.has(error.param);
    return isAtField ? null : <ErrorState error={error} onRetry={refresh} />;
  }
  if (isPaused) {
    return (
      <p class="field-hint" role="status">
        <strong>Paused: no runs.</strong> To run at this schedule again, choose <b>Resume</b> at the
        top of the page.
      </p>
    );
  }
  // A schedule with an interval has no time zone, so its run times are shown in the browser's time
  // zone.
  const zone = data?.schedule.type === "cron" ? data.schedule.timezone : ownZone();
  return (
    <div class="next-runs">
      <p class="field-label">
        Next runs <span class="muted">in the time zone {zone}</span>
      </p>
      {data === undefined ? (
        <Skeleton lines={shownTimes} />
      ) : (
        <ol>
          {data.next_run_times.map((time) => (
            <li key={time}>
              <span class="number">{formatInZone(time, zone)}</span>
              <span class="muted small">
                <RelativeTime time={time} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {data?.schedule.type === "every" && <p class="field-hint">{hint}</p>}
    </div>
  );
}
