import * as v from "valibot";
import { isUrlTemplate } from "./address.ts";

/** Matches a User-Agent with the required name, version and contact address. */
const userAgentForm =
  /^[A-Za-z][A-Za-z0-9_-]{1,60}\/\d[\w.-]{0,20} \(\+(?:https?:\/\/|mailto:)[^\s()]{3,200}\)$/;
const callsPerSecondDefault = 2;
const callsAtOnceDefault = 4;

/** The schema of the options of the adapter `web`. */
export const webOptions = v.strictObject({
  adapter: v.literal("web"),
  urlTemplate: v.pipe(
    v.string("must be a string"),
    v.check(
      isUrlTemplate,
      "must be an https:// address with {id} once in its path or query (http:// only for this " +
        "machine's own addresses)",
    ),
  ),
  userAgent: v.pipe(
    v.string("must be a string"),
    v.regex(
      userAgentForm,
      "must be <name>/<version> (+<address>), where the address is your contact page or a mailto: URL",
    ),
  ),
  /**
   * True if this site answers 404 only for products that do not exist. The deployer must check
   * this, because many sites answer 404 to blocked clients.
   */
  notFoundStatus: v.optional(v.boolean("must be true or false"), false),
  callsPerSecond: v.optional(
    v.pipe(
      v.number("must be a number"),
      v.minValue(0.1, "must be at least 0.1"),
      v.maxValue(50, "must be at most 50"),
    ),
    callsPerSecondDefault,
  ),
  callsAtOnceMax: v.optional(
    v.pipe(
      v.number("must be a number"),
      v.integer("must be an integer"),
      v.minValue(1, "must be at least 1"),
      v.maxValue(16, "must be at most 16"),
    ),
    callsAtOnceDefault,
  ),
});

export type WebOptions = v.InferOutput<typeof webOptions>;
