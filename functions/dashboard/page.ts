import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, route } from "../http/route.ts";
import assets from "./generated/assets.json" with { type: "json" };
import { securityHeaders } from "./security-headers.ts";

/**
 * `GET /dashboard`. Returns the page that loads the other files. Browsers must request the page
 * each time, because the page refers to the other files by names that change with their content.
 * The links of the page are relative to its address, so that the page works below any path prefix.
 * An address with a trailing slash would change these links, so the service redirects such an
 * address.
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
