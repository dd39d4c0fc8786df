import { minLength, object, pipe, safeParse, string } from "valibot";
import { addWorkKeys, workKeys } from "../../shared/observability/work-log.ts";
import type { OutboxEntry } from "../../shared/outbox/outbox.ts";

/**
 * Maximum number of IDs in one log line. It limits the length of the line, because a target that
 * was unreachable for a long time may have hundreds of pending runs.
 */
const namedMax = 10;
const more = "…";

const ofRun = object({ runId: pipe(string(), minLength(1)), watchlistId: string() });

/**
 * Adds the run and the watchlist of an outbox entry to the log line of the message. The fields
 * `run_ids` and `watchlist_ids` contain each ID once, separated by spaces: at most ten IDs, and
 * then "…" if there are more. Both fields are strings because log searches treat each element of an
 * array as a separate field. Ignores entries without a run.
 */
export function logRunOfEntry({ content }: OutboxEntry): void {
  const run = safeParse(ofRun, content);
  if (!run.success) return;
  const { run_ids: runs, watchlist_ids: lists } = workKeys();
  addWorkKeys({
    run_ids: withId(runs, run.output.runId),
    watchlist_ids: withId(lists, run.output.watchlistId),
  });
}

/**
 * Returns a string of IDs, separated by spaces, with the ID added to it. Adds "…" instead of an
 * eleventh ID. Returns the string unchanged if it contains the ID or "…".
 */
function withId(named: unknown, id: string): string {
  const ids = typeof named === "string" ? named.split(" ") : [];
  if (ids.includes(id) || ids.length > namedMax) return ids.join(" ");
  return [...ids, ids.length < namedMax ? id : more].join(" ");
}
