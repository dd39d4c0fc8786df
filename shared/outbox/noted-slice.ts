import type { Slice } from "./drain.ts";
import type { Change } from "./change.ts";

/** Wraps a slice so that `note` is called with each log record before the record is queued. */
export function notedSlice<LogRecord>(
  slice: Slice<LogRecord>,
  note: (record: LogRecord) => void,
): Slice<LogRecord> {
  const noteAll = ({ records = [] }: Change<LogRecord>): void => records.forEach(note);
  return {
    timeIsUp: () => slice.timeIsUp(),
    record(change) {
      noteAll(change);
      return slice.record(change);
    },
    store(change) {
      noteAll(change);
      return slice.store(change);
    },
  };
}
