import { limits } from "../base/limits.ts";

const dayMs = 86_400_000;

/**
 * The earliest time, ISO 8601, of which the history is shown. Older points may still be stored, but
 * readers must leave them out.
 */
export const historyStart = (now: Date): string =>
  new Date(now.getTime() - limits.historyDays * dayMs).toISOString();
