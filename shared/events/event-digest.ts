import { createHash } from "node:crypto";

/**
 * Returns the SHA-256 in hexadecimal digits over event IDs in delivery order, separated by line
 * feeds. A receiver uses the digest to verify that it has all events of a run.
 */
export const eventsDigest = (ids: readonly string[]): string =>
  createHash("sha256").update(ids.join("\n")).digest("hex");
