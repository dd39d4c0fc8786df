import type { UndefinedSchema } from "valibot";
import { endpointDeliveriesQuery } from "../../shared/webhooks/delivery-schema.ts";
import { existingEndpoint } from "../../shared/webhooks/existing.ts";
import { listDeliveries } from "../../shared/webhooks/list-deliveries.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `GET /v1/webhook_endpoints/{id}/deliveries`. Lists the deliveries to one endpoint, newest first.
 */
export const listEndpointDeliveriesRoute = route<
  EndpointDependencies,
  UndefinedSchema<undefined>,
  typeof endpointDeliveriesQuery
>({
  query: endpointDeliveriesQuery,
  async handle({ caller: { accountId }, path, query }, dependencies) {
    const { id: endpointId = "" } = path;
    await existingEndpoint({ accountId, endpointId }, dependencies.endpoints);
    const wanted = { ...query, endpoint_id: endpointId };
    return { status: 200, body: await listDeliveries(accountId, wanted, dependencies) };
  },
});
