import { existingEndpoint } from "../../shared/webhooks/existing.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./handler.ts";

/** `GET /v1/webhook_endpoints/{id}` */
export const getRoute = route<EndpointDependencies>({
  async handle({ caller: { accountId }, path, now }, { endpoints }) {
    const endpoint = await existingEndpoint({ accountId, endpointId: path["id"] ?? "" }, endpoints);
    return { status: 200, body: presentEndpoint(endpoint, now) };
  },
});
