import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";
import { patternSchema } from "./event-pattern.ts";

const busRule = v.object({
  bus: v.string(),
  name: v.string(),
  pattern: patternSchema,
  targets: v.array(v.object({ id: v.string(), arn: v.string() })),
});
/** A rule of a bus with its targets, which are ARNs of queues. */
export type BusRule = v.InferOutput<typeof busRule>;
type RuleName = Pick<BusRule, "bus" | "name">;

/** Stores the rules of local buses. */
export interface BusRuleStore {
  all(): readonly BusRule[];
  /** Returns the rule with this name on this bus; undefined if it does not exist. */
  get(name: RuleName): BusRule | undefined;
  /** Stores a rule. Replaces the rule with the same name on the same bus. */
  put(rule: BusRule): void;
  /** Removes a rule with its targets. Does nothing if it does not exist. */
  remove(name: RuleName): void;
}

const file = "event-bus-rules.json";

/** Opens the store of the event bus rules in the data folder. */
export function openBusRules(folder: DataFolder): BusRuleStore {
  let rules = folder.read(file, v.array(busRule)) ?? [];
  const others = ({ bus, name }: RuleName): BusRule[] =>
    rules.filter((rule) => rule.bus !== bus || rule.name !== name);
  const store = (changed: BusRule[]): void => {
    rules = changed;
    folder.write(file, rules);
  };
  return {
    all: () => rules,
    get: ({ bus, name }) => rules.find((rule) => rule.bus === bus && rule.name === name),
    put: (rule) => store([...others(rule), rule]),
    remove: (name) => store(others(name)),
  };
}
