import * as v from "valibot";
import { integerParam } from "../base/integer-param.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";

/** Query of `GET /v1/watchlists/{id}/runs/{run_number}`. */
export const runQuery = v.object({ limit: limitParam(limits.pagination.heldChanges) });

/** Query of `GET /v1/watchlists/{id}/runs`. */
export const runsQuery = v.object({
  limit: limitParam(limits.pagination.runs),
  before_run: v.optional(
    integerParam("before_run", {
      min: 1,
      max: limits.runNumberMax,
      description:
        "Only runs with a lower `run_number`: send the last `run_number` of the previous page.",
    }),
  ),
});
