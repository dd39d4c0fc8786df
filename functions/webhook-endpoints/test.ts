import { countProbe } from "../../shared/outgoing/probe-limit.ts";
import { presentTest } from "../../shared/webhooks/present.ts";
import { testEndpoint, testEndpointBody } from "../../shared/webhooks/test-endpoint.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `POST /v1/webhook_endpoints/{id}/test`. Sends a test delivery now. Returns 200 even if the
 * receiver fails.
 */
export const testEndpointRoute = route<EndpointDependencies, typeof testEndpointBody>({
  body: testEndpointBody,
  async handle({ caller: { accountId }, path, body: { type }, now }, dependencies) {
    const { id: endpointId = "" } = path;
    await countProbe({ accountId, now }, dependencies);
    const delivery = await testEndpoint({ accountId, endpointId, type, now }, dependencies);
    return { status: 200, body: presentTest(delivery) };
  },
});
