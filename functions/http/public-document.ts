import { createHash } from "node:crypto";
import type { Reply } from "./route.ts";

/** Seconds for which caches may store a public document, which changes only with a deployment. */
const maxAgeSeconds = 300;

/**
 * Returns a response 200 that is the same for every caller. Sends a string or a Buffer unchanged,
 * and any other body as JSON. Caches may store the response for five minutes. Its `ETag` is weak,
 * because the body can be sent compressed or uncompressed.
 * @param headers added to the default headers; a header with the same name replaces the default
 */
export function publicDocument(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const content = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return {
    status: 200,
    body: content,
    headers: {
      "Cache-Control": `public, max-age=${maxAgeSeconds}`,
      ETag: `W/"${digest}"`,
      ...headers,
    },
  };
}
