import { healthOf } from "../../shared/webhooks/endpoint-health.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `GET /v1/webhook_endpoints`. Returns all endpoints in one page, because an account has at most
 * ten.
 */
export const listEndpointsRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, now }, { endpoints, states }) {
    const [found, stored] = await Promise.all([endpoints.list(accountId), states.list(accountId)]);
    const data = found.map((endpoint) =>
      presentEndpoint(endpoint, healthOf(stored.get(endpoint.id)), now),
    );
    return { status: 200, body: { object: "list", data, has_more: false } };
  },
});
