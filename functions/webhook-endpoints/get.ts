import { existingEndpoint } from "../../shared/webhooks/existing.ts";
import { showEndpoint } from "../../shared/webhooks/show-endpoint.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/** `GET /v1/webhook_endpoints/{id}`. Returns an endpoint without its secret. */
export const getEndpointRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, path, now }, { endpoints, states }) {
    const endpoint = await existingEndpoint({ accountId, endpointId: path["id"] ?? "" }, endpoints);
    return { status: 200, body: await showEndpoint(endpoint, now, states) };
  },
});
