import { type AnyRoute, route } from "../http/route.ts";

/**
 * `GET /`. Redirects people to the documentation. Programs do not call this path: they begin with
 * `/v1`. The address contains the path prefix that the client used, with or without a trailing
 * slash.
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
