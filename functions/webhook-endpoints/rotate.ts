import { rotateBody } from "../../shared/webhooks/endpoint.ts";
import { showEndpoint } from "../../shared/webhooks/show-endpoint.ts";
import { rotateSecret } from "../../shared/webhooks/rotate-secret.ts";
import { route } from "../http/route.ts";
import type { EndpointDependencies } from "./dependencies.ts";

/**
 * `POST /v1/webhook_endpoints/{id}/rotate`. Replaces the signing secret of an endpoint. Only this
 * response contains the new secret. The body is optional.
 */
export const rotateSecretRoute = route<EndpointDependencies, typeof rotateBody>({
  body: rotateBody,
  async handle({ caller: { accountId }, path, body: { overlap }, now }, dependencies) {
    const { id: endpointId = "" } = path;
    const { endpoint, secret } = await rotateSecret(
      { accountId, endpointId, overlap, now },
      dependencies,
    );
    const shown = await showEndpoint(endpoint, now, dependencies.states);
    return { status: 200, body: { ...shown, secret } };
  },
});
