import * as v from "valibot";
import { addRefusedType } from "../../base/shown-value.ts";
import { isUrlTemplate } from "./address.ts";
import { ruleTexts } from "./rules/rule-texts.ts";

/** Matches a User-Agent with the required name, version and contact address. */
const userAgentForm =
  /^[A-Za-z][A-Za-z0-9_-]{1,60}\/\d[\w.-]{0,20} \(\+(?:https?:\/\/|mailto:)[^\s()]{3,200}\)$/;
const callsPerSecondDefault = 2;
const callsAtOnceDefault = 4;

/** The schema of the options of the adapter `web`. */
export const webOptions = v.strictObject({
  adapter: v.literal("web"),
  urlTemplate: v.pipe(
    v.string(addRefusedType("must be a string")),
    v.check(
      isUrlTemplate,
      "must be an https:// URL with {id} exactly once in its path or query (http:// only for " +
        "addresses of this machine)",
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
   * True if this site returns 404 only for products that do not exist. The deployer must verify
   * this, because many sites return 404 to blocked clients.
   */
  notFoundStatus: v.optional(v.boolean(addRefusedType("must be true or false")), false),
  /**
   * The deployer's rules that read fields from the pages of this shop. They take precedence over
   * all other readers.
   */
  extract: v.optional(ruleTexts()),
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
