import { type AnyRoute, route } from "../http/route.ts";

/**
 * `GET /`. Redirects people to the documentation. Programs do not call this path, because all paths
 * of the API begin with `/v1`. The redirect keeps the path prefix that the client used.
 */
export const rootRoute: AnyRoute<unknown> = route({
  async handle({ addressedPath }) {
    return {
      status: 302,
      body: "",
      headers: { Location: `${addressedPath.replace(/\/$/, "")}/docs` },
    };
  },
});
