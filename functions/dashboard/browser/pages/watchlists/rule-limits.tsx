import { Checkbox } from "../../ui/field.tsx";
import type { Route } from "./pipeline-words.ts";
import { hasKey, type Scraper } from "./rule-draft.ts";
import { useMark } from "./rule-problem.ts";
import { NumberField, numberOf } from "./value-field.tsx";

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
      onChange(value === undefined ? others : { ...others, [key]: numberOf(value) });
    };
  const numbers = [
    ["min_delta", "by at least", isNumber && hasKey("min_delta", when)],
    ["min_delta_percent", "by at least, in percent", isNumber && hasKey("min_delta", when)],
    ["confirm", "in reads in a row", hasKey("confirm", when)],
  ] as const;
  return (
    <div class="rule-limits">
      {numbers.map(
        ([key, words, isShown]) =>
          isShown && (
            <label key={key} class="rule-limit">
              <span class="muted">{words}</span>
              <NumberField
                label={`${about}: ${words}`}
                part={key}
                value={route[key]}
                onChange={set(key)}
              />
            </label>
          ),
      )}
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
