import { deleteEndpoint } from "../../shared/webhooks/delete-endpoint.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `DELETE /v1/webhook_endpoints/{id}`. Deletes an endpoint; its pending deliveries are recorded as
 * failed.
 */
export const deleteEndpointRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, path, now }, dependencies) {
    const { id = "" } = path;
    await deleteEndpoint({ accountId, endpointId: id }, now, dependencies);
    return { status: 200, body: { id, object: "webhook_endpoint", deleted: true } };
  },
});
