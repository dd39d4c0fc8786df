import { presentDelivery } from "../../shared/webhooks/present-delivery.ts";
import {
  sendEvent,
  sendEventBody,
  type SendEventDependencies,
} from "../../shared/webhooks/send-event.ts";
import { route } from "../http/route.ts";

/**
 * `POST /v1/events/{id}/send`. Sends an event to one webhook endpoint, even if the event was
 * delivered before.
 */
export const sendEventRoute = route<SendEventDependencies, typeof sendEventBody>({
  body: sendEventBody,
  async handle({ caller: { accountId }, path, body, now }, dependencies) {
    const { id: eventId = "" } = path;
    const { webhook_endpoint_id: endpointId } = body;
    const delivery = await sendEvent({ accountId, eventId, endpointId, now }, dependencies);
    return { status: 202, body: presentDelivery(delivery) };
  },
});
