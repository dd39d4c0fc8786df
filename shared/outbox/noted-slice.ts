import type { TimeSlice } from "./drain.ts";
import type { OutboxChange } from "./change.ts";

/** Wraps a time slice so that `note` receives each log record just before the slice queues it. */
export function noteRecords<LogRecord>(
  slice: TimeSlice<LogRecord>,
  note: (record: LogRecord) => void,
): TimeSlice<LogRecord> {
  const noteAll = ({ records = [] }: OutboxChange<LogRecord>): void => records.forEach(note);
  return {
    isOver: () => slice.isOver(),
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
