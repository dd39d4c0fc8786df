import { eventNotFound } from "../../shared/base/errors.ts";
import type { FeedSources } from "../../shared/events/feed-start.ts";
import { envelopeOf, findEvent } from "../../shared/events/find-event.ts";
import { route } from "../http/route.ts";

/** `GET /v1/events/{id}`. Returns the same bytes that deliveries send. */
export const getEventRoute = route<FeedSources>({
  async handle({ caller: { accountId }, path }, sources) {
    const { id = "" } = path;
    const foundEvent = await findEvent(accountId, id, sources);
    if (foundEvent === null) throw eventNotFound(id);
    const run = { accountId, runId: foundEvent.run.runId };
    const envelope = await envelopeOf(run, foundEvent.event, sources.bodies);
    if (envelope === null) throw eventNotFound(id);
    return { status: 200, body: envelope, headers: { "Content-Type": "application/json" } };
  },
});
