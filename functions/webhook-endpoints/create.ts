import {
  createEndpoint,
  type CreateEndpointDependencies,
} from "../../shared/webhooks/create-endpoint.ts";
import { newEndpointBody } from "../../shared/webhooks/endpoint.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";

/** `POST /v1/webhook_endpoints` */
export const createRoute = route({
  body: newEndpointBody,
  async handle({ caller, body, now, baseUrl }, dependencies: CreateEndpointDependencies) {
    const { endpoint, secret } = await createEndpoint(
      { accountId: caller.accountId, wanted: body, now, ownHost: new URL(baseUrl).host },
      dependencies,
    );
    return { status: 201, body: { ...presentEndpoint(endpoint, now), secret } };
  },
});
