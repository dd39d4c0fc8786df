import * as v from "valibot";
import { isoTimeParam } from "../base/iso-time.ts";
import { limits } from "../base/limits.ts";

/** Days that a back-test covers if the request has no `since`. */
export const backtestDefaultDays = 1;

/**
 * Body of `POST /v1/watchlists/{id}/backtest`. Any `pipeline` is accepted here: it is parsed later,
 * with the platform of the stored watchlist.
 */
export const backtestBody = v.object({
  pipeline: v.nullish(v.unknown()),
  since: v.optional(
    v.pipe(
      isoTimeParam("since"),
      v.description(
        `Only runs that started at this time or later. At most the newest ${limits.runHistoryMax} runs. ` +
          "Absent: one day before `until`.",
      ),
    ),
  ),
  until: v.optional(
    v.pipe(
      isoTimeParam("until"),
      v.description("Only runs that started at this time or before. Absent: the current time."),
    ),
  ),
});
