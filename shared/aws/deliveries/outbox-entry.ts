import { object, parse, picklist, string, unknown } from "valibot";
import type { OutboxEntry } from "../../outbox/outbox.ts";
import type { Row } from "../table/dynamo.ts";

const entryRow = object({
  lane: picklist(["first", "later"]),
  entry_due_at: string(),
  entry_key: string(),
  content: unknown(),
});

/** Parses the row of an outbox entry. @throws ValiError if the row is malformed */
export function entryOf(stored: Row): OutboxEntry {
  const row = parse(entryRow, stored);
  return { lane: row.lane, dueAt: row.entry_due_at, key: row.entry_key, content: row.content };
}
