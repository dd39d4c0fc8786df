import * as v from "valibot";
import { addRefusedType } from "../../base/shown-value.ts";
import { isUrlTemplate } from "./address.ts";
import { currencyIn } from "./currency-word.ts";
import { parseRule, type RuleField, ruleFields, ruleLengthMax } from "./rules/rule.ts";

/** Matches a User-Agent with the required name, version and contact address. */
const userAgentForm =
  /^[A-Za-z][A-Za-z0-9_-]{1,60}\/\d[\w.-]{0,20} \(\+(?:https?:\/\/|mailto:)[^\s()]{3,200}\)$/;
const callsPerSecondDefault = 2;
const callsAtOnceDefault = 4;

const rulesMax = 6;

/**
 * Returns the schema of the rules of one field. The message of an issue names the rule and its
 * mistake. `refusal` returns the mistake in a constant value.
 */
const fieldRules = (refusal: (constant: string) => string | undefined = () => undefined) =>
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
            const mistake = dataset.typed ? mistakeIn(dataset.value, refusal) : undefined;
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

function mistakeIn(
  text: string,
  refusal: (constant: string) => string | undefined,
): string | undefined {
  try {
    const rule = parseRule(text);
    return rule.kind === "constant" ? refusal(rule.value) : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const noConstant = (): string => "must not be a constant: every item would have this price";
const currencyOnly = (constant: string): string | undefined =>
  currencyIn(constant) === undefined
    ? `must be the code of a currency, such as USD (got "${constant}")`
    : undefined;

/** The schema of the deployer's rules for the pages of a shop. */
export const extractOption = v.strictObject(
  {
    price: fieldRules(noConstant),
    currency: fieldRules(currencyOnly),
    listPrice: fieldRules(noConstant),
    availability: fieldRules(),
    title: fieldRules(),
    image: fieldRules(),
    seller: fieldRules(),
    brand: fieldRules(),
  } satisfies Record<RuleField, ReturnType<typeof fieldRules>>,
  ({ expected }) =>
    expected === "never"
      ? `is not a field. Rules can read ${ruleFields.join(", ")}`
      : "must be an object of fields with rules",
);

/** The schema of the options of the adapter `web`. */
export const webOptions = v.strictObject({
  adapter: v.literal("web"),
  urlTemplate: v.pipe(
    v.string(addRefusedType("must be a string")),
    v.check(
      isUrlTemplate,
      "must be an https:// address with {id} once in its path or query (http:// only for this " +
        "machine's own addresses)",
    ),
  ),
  userAgent: v.pipe(
    v.string(addRefusedType("must be a string")),
    v.regex(
      userAgentForm,
      "must be <name>/<version> (+<address>), where the address is your contact page or a mailto: URL",
    ),
  ),
  /**
   * True if this site returns 404 only for products that do not exist. The deployer must check
   * this, because many sites return 404 to blocked clients.
   */
  notFoundStatus: v.optional(v.boolean(addRefusedType("must be true or false")), false),
  /** Rules that read fields from the pages of this shop. They come before all other readers. */
  extract: v.optional(extractOption),
  callsPerSecond: v.optional(
    v.pipe(
      v.number(addRefusedType("must be a number of calls per second")),
      v.minValue(0.1, ({ input }) => `must be at least 0.1 (got ${input})`),
      v.maxValue(50, ({ input }) => `must be at most 50 (got ${input})`),
    ),
    callsPerSecondDefault,
  ),
  callsAtOnceMax: v.optional(
    v.pipe(
      v.number(addRefusedType("must be a number of calls")),
      v.integer(({ input }) => `must be a whole number of calls (got ${input})`),
      v.minValue(1, ({ input }) => `must be at least 1 (got ${input})`),
      v.maxValue(16, ({ input }) => `must be at most 16 (got ${input})`),
    ),
    callsAtOnceDefault,
  ),
});

export type WebOptions = v.InferOutput<typeof webOptions>;
