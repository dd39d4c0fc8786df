/** The rules of the deployer as the configuration contains them, before they are parsed. */
import * as v from "valibot";
import { addRefusedType } from "../../../base/shown-value.ts";

/** The fields that the deployer's rules can read. */
export const ruleFields = [
  "price",
  "currency",
  "listPrice",
  "availability",
  "title",
  "image",
  "seller",
  "brand",
] as const;
export type RuleField = (typeof ruleFields)[number];

/** The rules of each field. */
export type RuleTexts = Readonly<Partial<Record<RuleField, readonly string[] | undefined>>>;

const ruleLengthMax = 300;
const rulesMax = 6;

/** Returns the mistake in a rule; undefined for a valid rule. */
type FindMistake = (rule: string, field: RuleField) => string | undefined;

/**
 * Creates the schema of the deployer's rules for the pages of a shop. If a rule is invalid, the
 * error message names the rule and the mistake.
 * @param mistakeIn returns the mistake in a rule; by default, only sizes and types are checked,
 * which needs no parser of selectors
 */
export const ruleTexts = (mistakeIn: FindMistake = () => undefined) => {
  const rules = (field: RuleField) =>
    v.optional(
      v.pipe(
        v.array(
          v.pipe(
            v.string(addRefusedType("must be a string")),
            v.maxLength(
              ruleLengthMax,
              ({ input }) => `must have at most ${ruleLengthMax} characters (got ${input.length})`,
            ),
            v.rawCheck(({ dataset, addIssue }) => {
              const mistake = dataset.typed ? mistakeIn(dataset.value, field) : undefined;
              if (mistake !== undefined) addIssue({ message: mistake });
            }),
          ),
          addRefusedType("must be an array of rules"),
        ),
        v.minLength(1, "must have at least one rule. Add one, or omit the field"),
        v.maxLength(
          rulesMax,
          ({ input }) => `must have at most ${rulesMax} rules (got ${input.length})`,
        ),
      ),
    );
  return v.strictObject(
    {
      price: rules("price"),
      currency: rules("currency"),
      listPrice: rules("listPrice"),
      availability: rules("availability"),
      title: rules("title"),
      image: rules("image"),
      seller: rules("seller"),
      brand: rules("brand"),
    } satisfies Record<RuleField, ReturnType<typeof rules>>,
    ({ expected }) =>
      expected === "never"
        ? `is not a field. Rules can read ${ruleFields.join(", ")}`
        : "must be an object of fields with rules",
  );
};
