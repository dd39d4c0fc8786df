import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, route } from "../http/route.ts";
import pages from "./generated/pages.json" with { type: "json" };

/** A page of the documentation: made at build time, self-contained, allowed to load nothing. */
export function pageRoute(name: keyof typeof pages): AnyRoute<unknown> {
  const { html, contentSecurityPolicy } = pages[name];
  return route({
    async handle() {
      return publicDocument(html, {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": contentSecurityPolicy,
        "Referrer-Policy": "no-referrer",
      });
    },
  });
}
