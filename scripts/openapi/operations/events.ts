import type { RouteKey } from "../../../functions/routes.ts";
import { eventsQuery } from "../../../shared/events/event-list-schema.ts";
import { eventsResponse } from "../../../shared/runs/event-schema.ts";
import { eventChanged } from "../examples/events.ts";
import type { Operation } from "../operation.ts";

export const eventOperations = {
  "GET /v1/events": {
    id: "listEvents",
    tag: "Webhooks",
    summary: "List events",
    description:
      "Every event that runs made in the last 30 days, whether an endpoint wanted it or not, in " +
      "the order in which they were published: to catch up on what a receiver missed, or to work " +
      "without one. Free.\n\n" +
      "Send `next_after` as `after` until `has_more` is false, and keep the last one: later events " +
      "come behind it. No event is left out or comes twice. A page may hold fewer events than " +
      "`limit`, or none, while `has_more` is true: it holds 3 MB at most, unless one event is " +
      "larger, and looks at a bounded number of runs.\n\n" +
      "When the event named in `after` is not found, as after 30 days, the list goes on from the " +
      "time in its id: nothing is left out, and some events may come again. A time as `after` " +
      "picks the beginning only; events that happened before it are left out of that page.\n\n" +
      "`webhook.test` events belong to their endpoint and are not listed.",
    query: eventsQuery,
    queryExamples: { type: "watchlist.product.changed", after: eventChanged.id },
    answers: {
      200: {
        description: "Events, oldest first.",
        schema: eventsResponse,
        example: {
          object: "list",
          data: [eventChanged],
          has_more: false,
          next_after: eventChanged.id,
        },
      },
    },
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
