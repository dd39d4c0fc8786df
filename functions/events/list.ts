import type { UndefinedSchema } from "valibot";
import { eventsQuery } from "../../shared/events/event-list-schema.ts";
import type { FeedSources } from "../../shared/events/feed-start.ts";
import { listEvents } from "../../shared/events/list-events.ts";
import { route } from "../http/route.ts";

/**
 * `GET /v1/events`. Returns a page of the account's published events, in the order of their
 * publication.
 */
export const listEventsRoute = route<FeedSources, UndefinedSchema<undefined>, typeof eventsQuery>({
  query: eventsQuery,
  async handle({ caller, query }, sources) {
    const { after, type, watchlist_id: watchlistId, limit } = query;
    const { accountId } = caller;
    const body = await listEvents({ accountId, after, type, watchlistId, limit }, sources);
    return { status: 200, body };
  },
});
