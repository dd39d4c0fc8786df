import * as v from "valibot";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";

const beforeMessage = "'before_run' is a run_number.";
/** Query of `GET /v1/watchlists/{id}/runs`. */
export const runsQuery = v.object({
  limit: limitParam(limits.pagination.runs),
  before_run: v.optional(
    v.pipe(
      v.string(beforeMessage),
      v.regex(/^\d{1,9}$/, beforeMessage),
      v.transform(Number),
      v.description("Only runs of a lower run_number: the last one's of the page before."),
    ),
  ),
});
