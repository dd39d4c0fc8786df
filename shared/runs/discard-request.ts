import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { visiblePattern, visibleText } from "../base/visible-text.ts";

const message = addRefusedValue(
  `'reason' must be a string of 1 to ${limits.discardReasonMax} characters. Send one, or omit it.`,
);

/** Body of `POST /v1/watchlists/{id}/runs/{run_number}/discard`. */
export const discardBody = v.object({
  reason: v.optional(
    v.pipe(
      v.string(message),
      v.minLength(1, message),
      v.maxLength(limits.discardReasonMax, message),
      visibleText("reason"),
      v.metadata({ pattern: visiblePattern }),
      v.description("Why the run is discarded. Responses with the run contain this reason."),
    ),
  ),
});
