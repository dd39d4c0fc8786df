import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import type { SerializedEvent } from "../events/event.ts";
import type { PlayedRun } from "./play-run.ts";

/** An entry of an event that a run would have sent if it had not been played in memory. */
export interface EventEntry {
  readonly type: string;
  readonly run_number: number;
  readonly entry: Record<string, unknown>;
}

/** Schema of the result of `countEntries` in API responses. */
export const eventCounts = v.pipe(
  v.record(v.string(), count),
  v.description("Items in the events that would have been sent, by event type."),
);

/**
 * Returns the entries of the events that a run in memory would have sent: one for each item of an
 * event.
 */
export const entriesOf = ({ run, events }: Pick<PlayedRun, "run" | "events">): EventEntry[] =>
  events.flatMap((event) =>
    entriesIn(event).map((entry) => ({ type: event.type, run_number: run.runNumber, entry })),
  );

/** Returns the entries in the body of an event; empty for an event without items. */
function entriesIn({ body }: SerializedEvent): readonly Record<string, unknown>[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `runEvents` made this body
  const { data } = JSON.parse(body) as {
    readonly data: Readonly<
      Partial<Record<"changes" | "products", readonly Record<string, unknown>[]>>
    >;
  };
  return data.changes ?? data.products ?? [];
}

/** Returns the number of entries of each event type, by type. */
export function countEntries(entries: readonly Pick<EventEntry, "type">[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
