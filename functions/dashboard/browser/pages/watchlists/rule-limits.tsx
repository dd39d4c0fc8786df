import { Checkbox } from "../../ui/field.tsx";
import type { Route } from "./pipeline-words.ts";
import { hasKey, type Scraper } from "./rule-draft.ts";
import { useMark } from "./rule-problem.ts";
import { NumberField } from "./value-field.tsx";

interface RuleLimitsProps {
  /** The name of the rule, such as `Rule 1 of check`. */
  readonly about: string;
  readonly route: Route;
  readonly scraper: Scraper | undefined;
  readonly onChange: (route: Route) => void;
}

/** Fields that limit how often a rule matches and reports. */
export function RuleLimits({ about, route, scraper, onChange }: RuleLimitsProps) {
  const { when, field, notify } = route;
  const cooldownMark = useMark("cooldown");
  const isNumber = scraper?.fields.find(({ name }) => name === field)?.type === "number";
  const set =
    (key: "min_delta" | "min_delta_percent" | "confirm") =>
    (value: number | string | undefined) => {
      const { [key]: _, ...others } = route;
      // A text that is not a number is kept, so that the error of the service quotes the text.
      onChange(value === undefined ? others : { ...others, [key]: value });
    };
  const numbers = [
    ["min_delta", "by at least", isNumber && hasKey("min_delta", when), "amount"],
    [
      "min_delta_percent",
      "by at least, in percent",
      isNumber && hasKey("min_delta", when),
      "percent",
    ],
    ["confirm", "in reads in a row", hasKey("confirm", when), undefined],
  ] as const;
  return (
    <div class="rule-limits">
      {numbers.map(
        ([key, words, isShown, unit]) =>
          isShown && (
            <label key={key} class="rule-limit">
              <span class="muted">{words}</span>
              <NumberField
                label={`${about}: ${words}`}
                part={key}
                value={route[key]}
                {...(unit && { unit })}
                onChange={set(key)}
              />
            </label>
          ),
      )}
      <DeltaHint route={route} />
      {notify === true && (
        <label class="rule-limit">
          <span class="muted">at most once every</span>
          <input
            class="control"
            {...cooldownMark}
            aria-label={`${about}: at most once every`}
            placeholder="6h"
            autocomplete="off"
            value={route.cooldown ?? ""}
            onInput={(event) => {
              const { cooldown: _, ...others } = route;
              const cooldown = event.currentTarget.value.trim();
              onChange(cooldown === "" ? others : { ...others, cooldown });
            }}
          />
        </label>
      )}
      {hasKey("once", when) && (
        <Checkbox
          label="once, until it is false again"
          checked={route.once === true}
          onChange={(once) => {
            const { once: _, ...others } = route;
            onChange(once ? { ...others, once } : others);
          }}
        />
      )}
    </div>
  );
}

/**
 * Explains from which value a minimum difference is measured. Shows nothing for a rule without a
 * minimum difference.
 */
function DeltaHint({ route }: Pick<RuleLimitsProps, "route">) {
  if (route.min_delta === undefined && route.min_delta_percent === undefined) return null;
  return (
    <p class="field-hint rule-limits-hint">
      Small changes add up. The rule compares with the value in its last event, or with the highest
      (“decreased”) or lowest (“increased”) value since then. The page What changed compares each
      read with the one before, so its numbers can differ.
    </p>
  );
}
