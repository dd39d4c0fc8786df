import { object, parse, picklist, string, unknown } from "valibot";
import type { OutboxEntry } from "../../outbox/outbox.ts";
import type { Row } from "../table/dynamo.ts";

const entryRow = object({
  lane: picklist(["first", "later"]),
  entry_due_at: string(),
  entry_key: string(),
  content: unknown(),
});

/** Returns the attributes of an outbox entry in its row, without the key of the row. */
export const entryAttributes = ({ lane, dueAt, key, content }: OutboxEntry): Row => ({
  lane,
  entry_due_at: dueAt,
  entry_key: key,
  content,
});

/** Parses the row of an outbox entry. @throws ValiError if the row is malformed */
export function entryOf(stored: Row): OutboxEntry {
  const row = parse(entryRow, stored);
  return { lane: row.lane, dueAt: row.entry_due_at, key: row.entry_key, content: row.content };
}
