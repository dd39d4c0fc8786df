import { createHash } from "node:crypto";

/**
 * Hexadecimal SHA-256 over event ids in order, one a line: a receiver that has the ids of a run can
 * prove that it missed nothing.
 */
export const eventsDigest = (ids: readonly string[]): string =>
  createHash("sha256").update(ids.join("\n")).digest("hex");
