import { recoverBody, startRecovery } from "../../shared/webhooks/recover.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `POST /v1/webhook_endpoints/{id}/recover`. Sends to an endpoint the events of a time span that
 * the endpoint should have received but did not.
 */
export const recoverDeliveriesRoute = route<EndpointDependencies, typeof recoverBody>({
  body: recoverBody,
  async handle({ caller: { accountId }, path, body: wanted, now }, dependencies) {
    const { id: endpointId = "" } = path;
    const span = await startRecovery({ accountId, endpointId, wanted, now }, dependencies);
    return {
      status: 202,
      body: { object: "webhook_recovery", endpoint_id: endpointId, ...span },
    };
  },
});
