import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";
import document from "./generated/openapi.json" with { type: "json" };

/** `GET /v1/openapi.json`, with the address that the client used as its server. */
export const openApiRoute = route({
  async handle({ baseUrl }) {
    const url = baseUrl.replace(/\/v1$/, "");
    return publicDocument({ ...document, servers: [{ ...document.servers[0], url }] });
  },
});
