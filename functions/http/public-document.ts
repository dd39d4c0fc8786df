import { createHash } from "node:crypto";
import type { Reply } from "./route.ts";

/** Public documents change with a deployment only. */
const maxAgeSeconds = 300;

/**
 * A 200 that everybody gets alike: caches may keep it, and `ETag` tells its versions apart. The tag
 * is weak, as the body may be sent compressed or not.
 */
export function publicDocument(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return {
    status: 200,
    body: text,
    headers: {
      "Cache-Control": `public, max-age=${maxAgeSeconds}`,
      ETag: `W/"${digest}"`,
      ...headers,
    },
  };
}
