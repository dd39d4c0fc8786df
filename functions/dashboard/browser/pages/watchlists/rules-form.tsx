import type { ApiError } from "../../api/api-error.ts";
import type { Pipeline, Scrapers } from "../../api/resources.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { RouteForm } from "./route-form.tsx";
import {
  withNewRoute,
  withNewStep,
  withoutRoute,
  withoutStep,
  withRoute,
  withStep,
} from "./rule-draft.ts";
import type { RuleProblem } from "./rule-problem.ts";
import { NumberInput, numberOf } from "./value-field.tsx";
import "./rules-form.css";

type Step = Pipeline["steps"][number];

interface RulesFormProps {
  readonly pipeline: Pipeline;
  readonly known: Scrapers;
  /** The error of the service about the pipeline; undefined if there is none. */
  readonly refusal: ApiError | undefined;
  readonly onChange: (pipeline: Pipeline) => void;
}

/**
 * A form for the steps of a pipeline and their rules. Calls `onChange` with the changed pipeline.
 */
export function RulesForm({ pipeline, known, refusal, onChange }: RulesFormProps) {
  const [scraper] = known.scrapers;
  const other = refusal && !isAtPart(refusal) ? refusal.message : undefined;
  return (
    <div class="form">
      <Starts pipeline={pipeline} refusal={refusal} onChange={onChange} />
      {pipeline.steps.map((step, at) => (
        <StepForm
          key={at}
          step={step}
          at={at}
          pipeline={pipeline}
          known={known}
          refusal={refusal}
          onChange={onChange}
        />
      ))}
      {other !== undefined && (
        <p class="field-error" role="alert">
          {other}
        </p>
      )}
      {scraper !== undefined && (
        <div class="row">
          <Button small onClick={() => onChange(withNewStep(pipeline, scraper.id))}>
            Add a step
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * Returns true if an error names a step or a setting of the pipeline. The form then shows the error
 * at the fields of this part.
 */
const isAtPart = ({ param = "" }: ApiError): boolean =>
  param.startsWith("pipeline.steps[") || startParams.has(param);

const everyRunsParam = "pipeline.refresh.every_runs";
const startParams: ReadonlySet<string> = new Set([
  "pipeline.entry",
  "pipeline.baseline",
  "pipeline.refresh.entry",
  everyRunsParam,
]);

/**
 * Returns an error about the part of the pipeline with this path; undefined for an error about
 * another part.
 */
function problemAt(error: ApiError | undefined, path: string): RuleProblem | undefined {
  const { param = "", message = "" } = error ?? {};
  if (param !== path && !param.startsWith(`${path}.`)) return undefined;
  return { message, part: param.slice(path.length + 1) };
}

const everyRuns = 8;

function Starts({
  pipeline,
  refusal,
  onChange,
}: Pick<RulesFormProps, "pipeline" | "refusal" | "onChange">) {
  const { entry, baseline, refresh, steps } = pipeline;
  const errorOf = (param: string) => (refusal?.param === param ? refusal.message : undefined);
  const options = steps.map(({ id }) => <option key={id}>{id}</option>);
  return (
    <div class="form-row">
      <Field label="Every run starts at" error={errorOf("pipeline.entry")}>
        {(control) => (
          <select
            {...control}
            value={entry}
            onChange={(event) => onChange({ ...pipeline, entry: event.currentTarget.value })}
          >
            {options}
          </select>
        )}
      </Field>
      <Field label="New items start at" error={errorOf("pipeline.baseline")}>
        {(control) => (
          <select
            {...control}
            value={baseline ?? ""}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...pipeline, baseline: value === "" ? null : value })
            }
          >
            <option value="">the same step</option>
            {options}
          </select>
        )}
      </Field>
      <Field label="Refresh runs start at" error={errorOf("pipeline.refresh.entry")}>
        {(control) => (
          <select
            {...control}
            value={refresh?.entry ?? ""}
            onChange={({ currentTarget: { value } }) =>
              onChange({
                ...pipeline,
                refresh:
                  value === ""
                    ? null
                    : { every_runs: refresh?.every_runs ?? everyRuns, entry: value },
              })
            }
          >
            <option value="">no refresh runs</option>
            {options}
          </select>
        )}
      </Field>
      <RefreshField pipeline={pipeline} error={errorOf(everyRunsParam)} onChange={onChange} />
    </div>
  );
}

interface RefreshFieldProps extends Pick<RulesFormProps, "pipeline" | "onChange"> {
  readonly error: string | undefined;
}

/** A field for the interval of refresh runs. Shows nothing for a pipeline without refresh runs. */
function RefreshField({ pipeline, error, onChange }: RefreshFieldProps) {
  const { refresh } = pipeline;
  if (refresh === null) return null;
  return (
    <Field label="A refresh run every N runs" error={error}>
      {(control) => (
        <NumberInput
          {...control}
          value={refresh.every_runs}
          onChange={(value) =>
            onChange({ ...pipeline, refresh: { ...refresh, every_runs: numberOf(value) } })
          }
        />
      )}
    </Field>
  );
}

interface StepFormProps extends RulesFormProps {
  readonly step: Step;
  readonly at: number;
}

function StepForm({ step, at, pipeline, known, refusal, onChange }: StepFormProps) {
  const change = (changed: Step): void => onChange(withStep(pipeline, at, changed));
  const scraper = known.scrapers.find(({ id }) => id === step.scraper);
  const path = `pipeline.steps[${at}]`;
  const problems = step.routes.map((_, n) => problemAt(refusal, `${path}.routes[${n}]`));
  const isAtRule = problems.some((one) => one !== undefined);
  return (
    <section class="step-form" aria-label={`Step ${step.id}`}>
      <StepFields
        step={step}
        at={at}
        known={known}
        problem={isAtRule ? undefined : problemAt(refusal, path)}
        onChange={change}
      />
      {step.routes.map((route, n) => (
        <RouteForm
          key={n}
          about={`Rule ${n + 1} of ${step.id}`}
          route={route}
          scraper={scraper}
          targets={pipeline.steps.map(({ id }) => id).filter((id) => id !== step.id)}
          problem={problems[n]}
          onChange={(changed) => change(withRoute(step, n, changed))}
          onRemove={() => change(withoutRoute(step, n))}
        />
      ))}
      <div class="row">
        <Button small label={`Add a rule to ${step.id}`} onClick={() => change(withNewRoute(step))}>
          Add a rule
        </Button>
        {pipeline.steps.length > 1 && (
          <Button
            small
            variant="quiet"
            label={`Remove step ${step.id}`}
            onClick={() => onChange(withoutStep(pipeline, at))}
          >
            Remove step
          </Button>
        )}
      </div>
    </section>
  );
}

interface StepFieldsProps extends Pick<StepFormProps, "step" | "at" | "known"> {
  /** The service's error about these fields; undefined if there is none. */
  readonly problem: RuleProblem | undefined;
  readonly onChange: (step: Step) => void;
}

/** Fields for the name of a step, its scraper, and the offers that it counts. */
function StepFields({ step, at, known, problem, onChange }: StepFieldsProps) {
  const scraper = known.scrapers.find(({ id }) => id === step.scraper);
  const errorOf = (part: string) => (problem?.part === part ? problem.message : undefined);
  const isElsewhere = problem !== undefined && !/^(scraper|condition)$/.test(problem.part);
  return (
    <div class="form-row">
      <Field label={`Name of step ${at + 1}`} error={isElsewhere ? problem.message : undefined}>
        {(control) => (
          <input
            {...control}
            autocomplete="off"
            spellcheck={false}
            value={step.id}
            onInput={(event) => onChange({ ...step, id: event.currentTarget.value.trim() })}
          />
        )}
      </Field>
      <Field
        label={`Step ${at + 1} reads with`}
        {...(scraper && { hint: `${scraper.description} ${priceWords(scraper)}` })}
        error={errorOf("scraper")}
      >
        {(control) => (
          <select
            {...control}
            value={step.scraper}
            onChange={({ currentTarget: { value } }) => {
              const { condition: _, ...others } = step;
              onChange({ ...others, scraper: value });
            }}
          >
            {known.scrapers.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        )}
      </Field>
      {scraper?.conditions !== undefined && (
        <Field label={`Offers that step ${at + 1} counts`} error={errorOf("condition")}>
          {(control) => (
            <select
              {...control}
              value={step.condition ?? "all"}
              onChange={(event) => onChange({ ...step, condition: event.currentTarget.value })}
            >
              {scraper.conditions?.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  );
}

function priceWords(scraper: Scrapers["scrapers"][number]): string {
  const { credits_per_item_min: least, credits_per_item_max: most } = scraper;
  const range = least === most ? `${most}` : `${least} to ${most}`;
  return `${range} ${range === "1" ? "credit" : "credits"} an item.`;
}
