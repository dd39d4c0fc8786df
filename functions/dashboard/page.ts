import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, route } from "../http/route.ts";
import assets from "./generated/assets.json" with { type: "json" };
import { securityHeaders } from "./security-headers.ts";

/**
 * `GET /dashboard`: names the other files by their content, and so is asked for each time. Addresses
 * in it are relative to the one without a slash, so that it works below any prefix.
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
