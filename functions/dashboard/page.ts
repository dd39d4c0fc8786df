import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, route } from "../http/route.ts";
import assets from "./generated/assets.json" with { type: "json" };
import { securityHeaders } from "./security-headers.ts";

/**
 * `GET /dashboard`. Returns the page that loads the other files. Browsers must request it each
 * time, because the names of the other files contain a hash of their content. Its links are
 * relative to the address without a trailing slash, so that it works below any path prefix.
 */
export const indexRoute: AnyRoute<unknown> = route({
  async handle({ addressedPath }) {
    if (addressedPath.endsWith("/")) {
      return { status: 308, body: "", headers: { ...securityHeaders, Location: "../dashboard" } };
    }
    return publicDocument(assets.index, {
      ...securityHeaders,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "public, no-cache",
    });
  },
});
