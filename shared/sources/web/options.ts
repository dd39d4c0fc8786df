import * as v from "valibot";
import { isUrlTemplate } from "./address.ts";

/** What a robot has to say of itself: its name, its version, and whom to ask about it. */
const userAgentForm =
  /^[A-Za-z][A-Za-z0-9_-]{1,60}\/\d[\w.-]{0,20} \(\+(?:https?:\/\/|mailto:)[^\s()]{3,200}\)$/;
const callsPerSecondDefault = 2;
const callsAtOnceDefault = 4;

/** Options of the adapter `web`, as a deployer writes them. */
export const webOptions = v.strictObject(
  {
    adapter: v.literal("web"),
    urlTemplate: v.pipe(
      v.string("a URL template is a string"),
      v.check(
        isUrlTemplate,
        "is an https:// address with {id} once in its path or query (http:// only for this " +
          "machine's own addresses)",
      ),
    ),
    userAgent: v.pipe(
      v.string("a User-Agent is a string"),
      v.regex(
        userAgentForm,
        "is <name>/<version> (+<address>), where the address is a page or mailto: of who runs this",
      ),
    ),
    /**
     * That this site answers 404 for a product that does not exist, and for nothing else. Only who
     * knows the site can say so: many answer 404 to a reader that they keep out.
     */
    notFoundStatus: v.optional(v.boolean("notFoundStatus is true or false"), false),
    callsPerSecond: v.optional(
      v.pipe(
        v.number("callsPerSecond is a number"),
        v.minValue(0.1, "callsPerSecond is at least 0.1"),
        v.maxValue(50, "callsPerSecond is at most 50"),
      ),
      callsPerSecondDefault,
    ),
    callsAtOnceMax: v.optional(
      v.pipe(
        v.number("callsAtOnceMax is a number"),
        v.integer("callsAtOnceMax is a whole number"),
        v.minValue(1, "callsAtOnceMax is at least 1"),
        v.maxValue(16, "callsAtOnceMax is at most 16"),
      ),
      callsAtOnceDefault,
    ),
  },
  "is missing, or no option of the adapter web",
);

export type WebOptions = v.InferOutput<typeof webOptions>;
