import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { Pipeline, Scrapers, Watchlist, WatchlistEstimate } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/filters.tsx";
import { ErrorState, Loaded } from "../../ui/states.tsx";
import { JsonEditor } from "./json-editor.tsx";
import {
  limitFieldsOf,
  type LimitsDraft,
  settingFields,
  settingsFor,
  type SettingTexts,
} from "./watchlist-settings.ts";
import {
  defaultTemplate,
  minDropOf,
  type PipelineDraft,
  pipelineOf,
  pipelineProblem,
  pipelineText,
  priceDropsTemplate,
  templatePipeline,
} from "./pipeline-draft.ts";
import { PipelineGraph } from "./pipeline-graph.tsx";
import { rulesIn } from "./rule-draft.ts";
import { problemWords } from "./rule-problem.ts";
import { RulesForm } from "./rules-form.tsx";
import { scheduleFieldsIn } from "./schedule-draft.ts";
import { useDebounced } from "../../api/use-debounced.ts";

/** The platform and the marketplace of a watchlist. */
export interface Shop {
  readonly platform: string;
  readonly marketplace: string;
}

/** Loads the scrapers and templates for a platform and marketplace. */
export const useScrapers = ({ platform, marketplace }: Shop): Query<Scrapers> =>
  useQuery(
    (api, signal) =>
      api.get<Scrapers>("watchlists/scrapers", { signal, query: { platform, marketplace } }),
    [platform, marketplace],
  );

/** The watchlist to estimate: one that does not exist yet, or a stored one. */
type Subject = (Shop & { readonly items: number }) | { readonly watchlistId: string };

interface Estimated {
  readonly subject: Subject;
  /**
   * Undefined until the service has accepted the schedule. Without a schedule, the estimate has no
   * forecast.
   */
  readonly schedule: Watchlist["schedule"] | undefined;
  readonly draft: PipelineDraft;
  readonly scrapers: Scrapers | undefined;
  readonly settings: SettingTexts;
  readonly limits: LimitsDraft;
}

/**
 * Loads the service's estimate for a draft once the draft has not changed for 250 ms. The `data` of
 * the result is undefined for a draft that cannot be sent.
 */
export function useEstimate(about: Estimated): Query<WatchlistEstimate | undefined> {
  const pipeline = pipelineOf(about.draft, about.scrapers);
  const body = useDebounced(
    pipeline === undefined
      ? undefined
      : {
          ...subjectFields(about.subject),
          ...(about.schedule && scheduleFieldsIn(about.schedule)),
          pipeline,
          ...limitFieldsOf(about.limits),
          ...settingFields(about.settings, { ...about, pipeline: about.draft }),
        },
  );
  return useQuery(
    async (api, signal) =>
      body && api.send<WatchlistEstimate>("POST", "watchlists/estimate", { body, signal }),
    [JSON.stringify(body)],
  );
}

const subjectFields = (subject: Subject) =>
  "watchlistId" in subject ? { watchlist_id: subject.watchlistId } : subject;

interface PipelineFormProps {
  readonly draft: PipelineDraft;
  readonly onChange: (draft: PipelineDraft) => void;
  readonly scrapers: Query<Scrapers>;
  readonly estimate: Query<WatchlistEstimate | undefined>;
  readonly settings: SettingTexts;
  readonly onSettings: (changed: Partial<SettingTexts>) => void;
  /** The error of the last attempt to save; undefined if there was none. */
  readonly error: ApiError | undefined;
}

/**
 * Fields for a pipeline: a template, rules, or JSON. Shows the service's errors at the values that
 * they are about. Also draws the pipeline.
 */
export function PipelineForm(props: PipelineFormProps) {
  return (
    <Loaded query={props.scrapers}>{(scrapers) => <Form {...props} known={scrapers} />}</Loaded>
  );
}

function Form(props: PipelineFormProps & { readonly known: Scrapers }) {
  const { draft, onChange, known, estimate } = props;
  const estimated = estimate.data && isOf(known, estimate.data) ? estimate.data : undefined;
  const shown = useShown(draft, templatePipeline(draft, known), estimated);
  const refusal = pipelineError(estimate.error) ?? pipelineError(props.error);
  const other = estimate.error?.param === undefined ? estimate.error : undefined;
  return (
    <div class="form">
      <TemplateField draft={draft} known={known} onChange={onChange} shown={shown} />
      <MinDropField draft={draft} onChange={onChange} refusal={refusal} />
      <SettingFields {...props} />
      {draft.template === null && (
        <PipelineEditor draft={draft} onChange={onChange} known={known} refusal={refusal} />
      )}
      {!hasOwnError(draft) && refusal && <ErrorState error={refusal} />}
      {other && <ErrorState error={other} onRetry={estimate.refresh} />}
      {shown && <PipelineGraph pipeline={shown} />}
    </div>
  );
}

/** Returns true if a field of the form already shows the errors about the pipeline. */
const hasOwnError = ({ template }: PipelineDraft): boolean =>
  template === null || template === priceDropsTemplate;

/** Returns the error if it is about the pipeline; otherwise undefined. */
export const pipelineError = (error: ApiError | undefined): ApiError | undefined =>
  error?.param?.startsWith("pipeline") === true ? error : undefined;

/**
 * Returns true if an estimate is for the platform of the form. After the user changes the platform,
 * the last estimate is for the earlier platform until the new estimate arrives.
 */
const isOf = ({ scrapers }: Scrapers, { pipeline }: WatchlistEstimate): boolean =>
  pipeline.steps.every(({ scraper }) => scrapers.some(({ id }) => id === scraper));

/**
 * Returns the pipeline to draw: that of the draft, or the last valid one while the text that the
 * user types is not valid. Returns undefined if no pipeline was valid yet.
 */
function useShown(
  draft: PipelineDraft,
  template: Pipeline | undefined,
  estimate: WatchlistEstimate | undefined,
): Pipeline | undefined {
  const last = useRef<Pipeline | undefined>(undefined);
  if (draft.template === null) last.current = estimate?.pipeline ?? last.current;
  else {
    const isOwn = draft.template === defaultTemplate && estimate?.default_pipeline === true;
    last.current = isOwn ? estimate.pipeline : (template ?? last.current);
  }
  return last.current;
}

const custom = "custom";

interface TemplateFieldProps extends Pick<PipelineFormProps, "draft" | "onChange"> {
  readonly known: Scrapers;
  readonly shown: Pipeline | undefined;
}

function TemplateField({ draft, onChange, known, shown }: TemplateFieldProps) {
  const template = known.templates.find(({ id }) => id === draft.template);
  const write = (): void =>
    onChange({ template: null, text: shown === undefined ? draft.text : pipelineText(shown) });
  return (
    <div class="template-row">
      <Field label="Template" hint={template?.description ?? "Your own steps and rules."}>
        {(control) => (
          <select
            {...control}
            value={draft.template ?? custom}
            onChange={({ currentTarget: { value } }) =>
              value === custom ? write() : onChange({ ...draft, template: value })
            }
          >
            {known.templates.map(({ id, name }) => (
              <option key={id} value={id}>
                {id === defaultTemplate ? `${name} (default)` : name}
              </option>
            ))}
            <option value={custom}>Custom</option>
          </select>
        )}
      </Field>
      {draft.template !== null && <Button onClick={write}>Edit the rules</Button>}
    </div>
  );
}

interface MinDropFieldProps extends Pick<PipelineFormProps, "draft" | "onChange"> {
  /**
   * The service's error about the pipeline. With the template `price_drops`, only the minimum drop
   * can cause an error.
   */
  readonly refusal: ApiError | undefined;
}

/**
 * A field for the minimum drop of the template `price_drops`. Shows nothing for other templates.
 */
function MinDropField({ draft, onChange, refusal }: MinDropFieldProps) {
  if (draft.template !== priceDropsTemplate) return null;
  const label = "Minimum drop in percent";
  return (
    <Field
      label={label}
      hint="Measured from the highest price since the last event about the item, so small drops add up. Empty: every drop."
      error={
        minDropOf(draft).error ??
        (refusal && problemWords({ message: refusal.message, part: "min_delta_percent" }, label))
      }
    >
      {(control) => (
        <input
          {...control}
          class="control short-control"
          inputMode="decimal"
          autocomplete="off"
          value={draft.minDrop ?? ""}
          onInput={(event) => onChange({ ...draft, minDrop: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

function SettingFields({ draft, scrapers, settings, onSettings, ...props }: PipelineFormProps) {
  const errors = [props.error, props.estimate.error];
  return settingsFor({ pipeline: draft, scrapers: scrapers.data }).map(({ name, label, hint }) => (
    <Field
      key={name}
      label={label}
      hint={hint}
      error={errors.find((one) => one?.param === name)?.message}
    >
      {(control) => (
        <input
          {...control}
          class="control short-control"
          inputMode="numeric"
          autocomplete="off"
          value={settings[name]}
          onInput={(event) => onSettings({ [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  ));
}

interface PipelineEditorProps extends Pick<PipelineFormProps, "draft" | "onChange"> {
  readonly known: Scrapers;
  readonly refusal: ApiError | undefined;
}

const forms = [
  ["rules", "Rules"],
  ["json", "JSON"],
] as const;

/** Edits a pipeline as rules, or as JSON. Shows only JSON if the rules cannot show the pipeline. */
function PipelineEditor(props: PipelineEditorProps) {
  const { draft, onChange, known, refusal } = props;
  const [form, setForm] = useState<string>("rules");
  const rules = rulesIn(draft.text);
  const isJson = form === "json" || rules === undefined;
  return (
    <>
      <Segmented
        label="Edit the pipeline as"
        choices={forms}
        value={isJson ? "json" : "rules"}
        onChange={setForm}
      />
      {isJson ? (
        <PipelineJson {...props} />
      ) : (
        <RulesForm
          pipeline={rules}
          known={known}
          refusal={refusal}
          onChange={(pipeline) => onChange({ template: null, text: pipelineText(pipeline) })}
        />
      )}
    </>
  );
}

function PipelineJson({ draft, onChange, refusal }: PipelineEditorProps) {
  const syntax = pipelineProblem(draft.text);
  return (
    <JsonEditor
      label="Pipeline as JSON"
      hint="The service checks the pipeline as you type. GET /v1/watchlists/scrapers lists the scrapers for steps."
      text={draft.text}
      onChange={(text) => onChange({ template: null, text })}
      problem={
        syntax?.message === undefined
          ? refusal && {
              message: refusal.message,
              path: (refusal.param ?? "").replace(/^pipeline\.?/, ""),
            }
          : syntax
      }
    />
  );
}
