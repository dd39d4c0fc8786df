import * as v from "valibot";
import { idParam } from "../base/id-param.ts";
import { timedIdPattern, timeOf } from "../base/ids.ts";
import { isoTimeParam } from "../base/iso-time.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { runEventTypes } from "./event.ts";

const afterMessage = addRefusedValue(
  "'after' must be the ID of an event, as in 'next_after', or an ISO 8601 time with a zone, such " +
    "as 2026-11-20T10:00:00Z.",
);

/** Schema of the query of `GET /v1/events`. */
export const eventsQuery = v.object({
  after: v.optional(
    v.pipe(
      v.union(
        [
          v.pipe(
            v.string(),
            v.check((text) => timeOf("event", text) !== undefined),
            v.metadata({ pattern: timedIdPattern("event").source }),
          ),
          isoTimeParam("after"),
        ],
        afterMessage,
      ),
      v.description(
        "Where the page begins: the `next_after` of the previous page, the ID of the last event that " +
          "you have, or an ISO 8601 time with a zone for events from that time on. " +
          "Absent: the oldest event.",
      ),
    ),
  ),
  type: v.optional(
    v.pipe(oneOf("type", runEventTypes), v.description("Only events of this type.")),
  ),
  watchlist_id: idParam("watchlist", {
    message: "'watchlist_id' must be the ID of a watchlist, which begins with wl_.",
    description: "Only events of this watchlist. A deleted watchlist is accepted too.",
  }),
  limit: limitParam(limits.pagination.events),
});
