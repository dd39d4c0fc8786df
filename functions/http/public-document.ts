import { createHash } from "node:crypto";
import type { Reply } from "./route.ts";

/** How long caches may store a public document, in seconds. It changes only with a deployment. */
const maxAgeSeconds = 300;

/**
 * Returns a 200 response that is the same for every caller. Sends a string or a Buffer unchanged,
 * and any other body as JSON. Caches may store the response for five minutes. Its `ETag` is weak,
 * because the body may be sent compressed or uncompressed. `headers` are added, or replace default
 * headers with the same names.
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
