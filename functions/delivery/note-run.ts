import { minLength, object, pipe, safeParse, string } from "valibot";
import { addWorkKeys, workKeys } from "../../shared/observability/work-log.ts";
import type { OutboxEntry } from "../../shared/outbox/outbox.ts";

/** Ids that a line names; a target that was away for long is owed hundreds of runs. */
const namedMax = 10;
const more = "…";

const ofRun = object({ runId: pipe(string(), minLength(1)), watchlistId: string() });

/**
 * Has the lines of the message under way say which runs and lists it works on, each id once and with
 * spaces between: `run_ids`, `watchlist_ids`. A list would be a field an id for who searches them.
 */
export function noteRun({ content }: OutboxEntry): void {
  const run = safeParse(ofRun, content);
  if (!run.success) return;
  const { run_ids: runs, watchlist_ids: lists } = workKeys();
  addWorkKeys({
    run_ids: withId(runs, run.output.runId),
    watchlist_ids: withId(lists, run.output.watchlistId),
  });
}

function withId(named: unknown, id: string): string {
  const ids = typeof named === "string" ? named.split(" ") : [];
  if (ids.includes(id) || ids.length > namedMax) return ids.join(" ");
  return [...ids, ids.length < namedMax ? id : more].join(" ");
}
