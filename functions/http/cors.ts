import type { HttpMiddleware } from "./middleware.ts";
import type { Reply } from "./route.ts";

/** Pages of any origin may read public documents: nothing of an account is in them. */
const headers = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Allow, ETag, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
};

const decorate: NonNullable<HttpMiddleware["after"]> = ({ response }) => {
  if (response) response.headers = { ...response.headers, ...headers };
};

/** Lets pages of other origins read every answer of a group, its refusals included. */
export const cors: HttpMiddleware = { after: decorate, onError: decorate };

/** The answer to a browser that asks whether a page of another origin may make a call. */
export const preflight = (allow: readonly string[]): Reply => ({
  status: 204,
  body: "",
  headers: {
    Allow: allow.join(", "),
    "Access-Control-Allow-Methods": allow.filter((method) => method !== "OPTIONS").join(", "),
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, X-API-Key",
    "Access-Control-Max-Age": "7200",
    "Cache-Control": "public, max-age=7200",
  },
});
