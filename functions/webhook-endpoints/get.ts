import { notFound } from "../../shared/base/errors.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";

/** `GET /v1/webhook_endpoints/{id}` */
export const getRoute = route({
  async handle({ caller, path, now }, { endpoints }: { readonly endpoints: EndpointStore }) {
    const endpoint = await endpoints.get(caller.accountId, path["id"] ?? "");
    if (endpoint === null) throw notFound("This webhook endpoint");
    return { status: 200, body: presentEndpoint(endpoint, now) };
  },
});
