import { currencyIn } from "../currency-word.ts";
import { parseRule } from "./rule.ts";
import { type RuleField, ruleTexts } from "./rule-texts.ts";

/** The schema of the deployer's rules. It checks each rule completely. */
export const extractOption = ruleTexts((text, field) => {
  try {
    const rule = parseRule(text);
    return rule.kind === "constant" ? constantMistake(rule.value, field) : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
});

/** Returns the mistake in a constant of a field; undefined for a valid constant. */
function constantMistake(constant: string, field: RuleField): string | undefined {
  if (field === "price" || field === "listPrice") {
    return "must not be a constant: every item would have this price";
  }
  return field === "currency" && currencyIn(constant) === undefined
    ? `must be the code of a currency, such as USD (got "${constant}")`
    : undefined;
}
