import { notFound } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import { presentEndpoint } from "../../shared/webhooks/present.ts";
import { route } from "../http/route.ts";

/** `GET /v1/webhook_endpoints/{id}` */
export const getRoute = route({
  async handle({ caller, path, now }, { endpoints }: { readonly endpoints: EndpointStore }) {
    const id = path["id"] ?? "";
    const endpoint = isId("webhookEndpoint", id) ? await endpoints.get(caller.accountId, id) : null;
    if (endpoint === null) throw notFound("This webhook endpoint");
    return { status: 200, body: presentEndpoint(endpoint, now) };
  },
});
