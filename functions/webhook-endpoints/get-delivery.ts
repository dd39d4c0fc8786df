import { existingDelivery } from "../../shared/webhooks/existing.ts";
import { showDelivery } from "../../shared/webhooks/show-delivery.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/** `GET /v1/webhook_deliveries/{id}`. Returns a delivery with its request body and its attempts. */
export const getDeliveryRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, path }, dependencies) {
    const delivery = await existingDelivery(accountId, path["id"] ?? "", dependencies);
    return { status: 200, body: await showDelivery(accountId, delivery, dependencies.bodies) };
  },
});
