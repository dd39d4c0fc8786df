import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { type Route, ruleWords } from "./pipeline-words.ts";
import {
  fieldsFor,
  firstValue,
  hasKey,
  needsValue,
  opsOf,
  routeField,
  routeWhen,
  type Scraper,
  type Test,
  whenWords,
  withNewTest,
  withoutTest,
  withTest,
} from "./rule-draft.ts";
import { MarkedPartContext, problemWords, type RuleProblem, useMark } from "./rule-problem.ts";
import { RuleLimits } from "./rule-limits.tsx";
import { ValueField } from "./value-field.tsx";

interface RouteFormProps {
  /** The name of the rule, such as `Rule 1 of check`. */
  readonly about: string;
  readonly route: Route;
  readonly scraper: Scraper | undefined;
  /** The IDs of the steps that the rule can lead to. */
  readonly targets: readonly string[];
  /** The service's error about the rule; undefined if there is none. */
  readonly problem: RuleProblem | undefined;
  readonly onChange: (route: Route) => void;
  readonly onRemove: () => void;
}

/**
 * Fields for a rule: which reads the rule selects, and what happens to the items of these reads.
 */
export function RouteForm(props: RouteFormProps) {
  const { about, route, problem, onRemove } = props;
  const messageId = useId();
  return (
    <fieldset class="rule">
      <legend>
        {about}: <span class="muted">{ruleWords(route)}</span>
      </legend>
      <MarkedPartContext.Provider value={problem && { part: problem.part, messageId }}>
        <Condition {...props} />
        {hasKey("where", route.when) && <Tests {...props} />}
        <RuleLimits {...props} />
        <Effects {...props} />
      </MarkedPartContext.Provider>
      {problem !== undefined && (
        <p id={messageId} class="field-error" role="alert">
          {problemWords(problem)}
        </p>
      )}
      <div class="row">
        <Button small variant="quiet" label={`Remove ${about}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

/** A row of controls that reads as a sentence. */
const Line = ({ words, children }: { words: string; children: ComponentChildren }) => (
  <div class="rule-line">
    <span class="muted">{words}</span>
    {children}
  </div>
);

interface ChoiceProps {
  readonly label: string;
  /** The part of the rule that this control sets, such as `field`. */
  readonly part: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, part, value, choices, onChange }: ChoiceProps) => (
  <select
    class="control"
    {...useMark(part)}
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

const opWords: Readonly<Record<string, string>> = { is_not: "is not" };
const opChoices = (ops: readonly string[]) => ops.map((op) => [op, opWords[op] ?? op] as const);

function Condition({ about, route, scraper, onChange }: RouteFormProps) {
  const { when, field, op, value } = route;
  const fields = fieldsFor(scraper, when);
  const known = fields.find(({ name }) => name === field);
  const ops = opsOf(known, when);
  const changeOp = (next: string): void => {
    const hasValue = needsValue(next) && next !== "";
    const kept = value ?? firstValue(known);
    const { op: _, value: __, ...others } = route;
    onChange({
      ...others,
      ...(next !== "" && { op: next }),
      ...(hasValue && { value: kept }),
    });
  };
  return (
    <Line words="If">
      {fields.length > 0 && (
        <Choice
          label={`${about}: field`}
          part="field"
          value={field ?? ""}
          choices={[
            ["", when === "changed" ? "any tracked field" : "the item"],
            ...fields.map(({ name }) => [name, name] as const),
          ]}
          onChange={(name) => onChange(routeField(route, name || undefined, scraper))}
        />
      )}
      {fields.length === 0 && <span>the item</span>}
      <Choice
        label={`${about}: when`}
        part="when"
        value={when}
        choices={Object.entries(whenWords)}
        onChange={(next) => onChange(routeWhen(route, next))}
      />
      {known !== undefined && ops.length > 0 && (
        <Choice
          label={`${about}: test`}
          part="op"
          value={op ?? ""}
          choices={[
            ...(when === "changed" ? [["", "in any way"] as const] : []),
            ...opChoices(ops),
          ]}
          onChange={changeOp}
        />
      )}
      {known !== undefined && needsValue(op) && (
        <ValueField
          about={about}
          part="value"
          type={known.type}
          value={value}
          first={firstValue(known)}
          fields={comparedWith(scraper, known)}
          onChange={(next) => onChange({ ...route, value: next })}
        />
      )}
    </Line>
  );
}

/**
 * Returns the names of the fields with which a field can be compared: the other fields of its type.
 */
const comparedWith = (
  scraper: Scraper | undefined,
  { name, type }: Scraper["fields"][number],
): readonly string[] =>
  fieldsFor(scraper, "ok")
    .filter((other) => other.type === type && other.name !== name)
    .map((other) => other.name);

function Tests({ about, route, scraper, onChange }: RouteFormProps) {
  return (
    <>
      {route.where?.map((test, n) => (
        <TestLine
          key={n}
          about={`${about}, test ${n + 1}`}
          part={`where[${n}]`}
          test={test}
          scraper={scraper}
          onChange={(changed) => onChange(withTest(route, n, changed))}
          onRemove={() => onChange(withoutTest(route, n))}
        />
      ))}
      <div class="row">
        <Button
          small
          variant="quiet"
          label={`Add a test to ${about}`}
          onClick={() => onChange(withNewTest(route, scraper))}
        >
          Add a test
        </Button>
      </div>
    </>
  );
}

interface TestLineProps {
  readonly about: string;
  /** The path of the test in the rule. */
  readonly part: string;
  readonly test: Test;
  readonly scraper: Scraper | undefined;
  readonly onChange: (test: Test) => void;
  readonly onRemove: () => void;
}

function TestLine({ about, part, test, scraper, onChange, onRemove }: TestLineProps) {
  const fields = fieldsFor(scraper, "ok");
  const known = fields.find(({ name }) => name === test.field);
  const choose = (name: string): void => {
    const next = fields.find((field) => field.name === name);
    onChange({ field: name, op: opsOf(next, "ok")[0] ?? "is", value: firstValue(next) });
  };
  return (
    <Line words="and">
      <Choice
        label={`${about}: field`}
        part={`${part}.field`}
        value={test.field}
        choices={fields.map(({ name }) => [name, name] as const)}
        onChange={choose}
      />
      <Choice
        label={`${about}: operator`}
        part={`${part}.op`}
        value={test.op}
        choices={opChoices(opsOf(known, "ok"))}
        onChange={(op) => onChange({ ...test, op })}
      />
      <ValueField
        about={about}
        part={`${part}.value`}
        type={known?.type ?? "string"}
        value={test.value}
        first={firstValue(known)}
        fields={known ? comparedWith(scraper, known) : []}
        onChange={(value) => onChange({ ...test, value })}
      />
      <Button small variant="quiet" label={`Remove ${about}`} onClick={onRemove}>
        Remove
      </Button>
    </Line>
  );
}

function Effects({ about, route, targets, onChange }: RouteFormProps) {
  return (
    <Line words="then">
      <Checkbox
        label="report it in an event"
        checked={route.notify === true}
        onChange={(notify) => {
          const { notify: _, cooldown: __, ...others } = route;
          onChange(notify ? { ...route, notify } : others);
        }}
      />
      <Choice
        label={`${about}: next step`}
        part="run"
        value={route.run ?? ""}
        choices={[
          ["", "and end here"],
          ...targets.map((id) => [id, `and go on to ${id}`] as const),
        ]}
        onChange={(run) => {
          const { run: _, ...others } = route;
          onChange(run === "" ? others : { ...others, run });
        }}
      />
    </Line>
  );
}
