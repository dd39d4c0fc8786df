import { createHash } from "node:crypto";

/**
 * Hexadecimal SHA-256 over event IDs in delivery order, separated by line feeds. By it a receiver can
 * verify that it has all events of a run.
 */
export const eventsDigest = (ids: readonly string[]): string =>
  createHash("sha256").update(ids.join("\n")).digest("hex");
