import type { HttpMiddleware } from "./middleware.ts";
import type { Reply } from "./route.ts";

/** Pages of any origin may read public documents, because these contain no account data. */
const headers = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Allow, ETag, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
};

const addHeaders: NonNullable<HttpMiddleware["after"]> = ({ response }) => {
  if (response) response.headers = { ...response.headers, ...headers };
};

/**
 * Middleware that allows pages of other origins to read every response of a group, including
 * errors.
 */
export const cors: HttpMiddleware = { after: addHeaders, onError: addHeaders };

/**
 * Returns the response to a CORS preflight request.
 * @param allow the methods of the path
 */
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
