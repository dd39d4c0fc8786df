import { type AnyRoute, route } from "../http/route.ts";
import pages from "./generated/pages.json" with { type: "json" };

/** Pages change with a deployment only. */
const maxAgeSeconds = 300;

/** A page of the documentation: made at build time, self-contained, allowed to load nothing. */
export function pageRoute(name: keyof typeof pages): AnyRoute<unknown> {
  const { html, contentSecurityPolicy } = pages[name];
  return route({
    async handle() {
      return {
        status: 200,
        body: html,
        headers: {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": contentSecurityPolicy,
          "Referrer-Policy": "no-referrer",
          "Cache-Control": `public, max-age=${maxAgeSeconds}`,
        },
      };
    },
  });
}
