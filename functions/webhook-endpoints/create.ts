import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { createEndpoint } from "../../shared/webhooks/create-endpoint.ts";
import { newEndpointBody } from "../../shared/webhooks/endpoint.ts";
import { unknownHealth } from "../../shared/webhooks/endpoint-health.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/** `POST /v1/webhook_endpoints`. Registers an endpoint. Only this response contains its secret. */
export const createEndpointRoute = route<EndpointDependencies, typeof newEndpointBody>({
  body: newEndpointBody,
  async handle({ caller: { accountId }, body, now, own }, dependencies) {
    await countProbe({ accountId, now }, dependencies);
    const { endpoint, secret } = await createEndpoint(
      { accountId, wanted: body, now, own },
      dependencies,
    );
    // The health is unknown, because there has been no attempt yet.
    const shown = presentEndpoint(endpoint, unknownHealth, now);
    return { status: 201, body: { ...shown, secret } };
  },
});
