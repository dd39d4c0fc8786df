import { presentDelivery } from "../../shared/webhooks/present-delivery.ts";
import { redeliver } from "../../shared/webhooks/redeliver.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/** `POST /v1/webhook_deliveries/{id}/redeliver`. Sends the event of a delivery again. */
export const redeliverRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, path, now }, dependencies) {
    const { id: deliveryId = "" } = path;
    const delivery = await redeliver({ accountId, deliveryId, now }, dependencies);
    return { status: 202, body: presentDelivery(delivery) };
  },
});
