import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { endpointPatchBody } from "../../shared/webhooks/endpoint.ts";
import { showEndpoint } from "../../shared/webhooks/show-endpoint.ts";
import { updateEndpoint } from "../../shared/webhooks/update-endpoint.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `PATCH /v1/webhook_endpoints/{id}`. Changes those fields of an endpoint that the request
 * contains.
 */
export const updateEndpointRoute = route<EndpointDependencies, typeof endpointPatchBody>({
  body: endpointPatchBody,
  async handle({ caller: { accountId }, path, body: wanted, now, own }, dependencies) {
    const { id: endpointId = "" } = path;
    // Counts a probe only if the request contains a URL, because only then a host name is resolved.
    if (wanted.url !== undefined) await countProbe({ accountId, now }, dependencies);
    const endpoint = await updateEndpoint(
      { accountId, endpointId, wanted, now, own },
      dependencies,
    );
    return { status: 200, body: await showEndpoint(endpoint, now, dependencies.states) };
  },
});
