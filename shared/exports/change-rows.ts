import { percentChange } from "../base/percent.ts";
import { array, nullish, number, object, optional, parse, record, string, unknown } from "valibot";
import type { EventType } from "../events/event.ts";

/** One row of a Parquet file: the change of one field of an item, or the delisting of an item. */
export interface ChangeRow {
  readonly eventId: string;
  readonly runId: string;
  readonly runNumber: number;
  /** `delisted` rows have no field and no values. */
  readonly kind: "changed" | "delisted";
  readonly itemId: string;
  readonly label: string | null;
  /** The item's metadata as JSON. */
  readonly metadata: string | null;
  readonly title: string | null;
  readonly url: string | null;
  readonly step: string;
  /** Time of the read. */
  readonly at: Date;
  readonly field: string | null;
  /** The values as JSON: a string is in quotation marks, and a missing value is `null`. */
  readonly before: string | null;
  readonly after: string | null;
  /** The values if they are numbers. */
  readonly beforeNumber: number | null;
  readonly afterNumber: number | null;
  /**
   * The difference in percent of `beforeNumber`; null if a number is missing or `beforeNumber` is
   * 0.
   */
  readonly percent: number | null;
}

/** The types of events that have rows. */
export const typesWithRows: ReadonlySet<EventType> = new Set([
  "watchlist.product.changed",
  "watchlist.product.delisted",
]);

const item = {
  id: string(),
  label: nullish(string(), null),
  metadata: optional(record(string(), unknown())),
  title: nullish(string(), null),
  url: nullish(string(), null),
  step: string(),
};
const changes = array(
  object({
    ...item,
    changed_at: string(),
    changes: record(string(), object({ before: unknown(), after: unknown() })),
  }),
);
const products = array(object({ ...item, delisted_at: string() }));
/** An event with a type of `typesWithRows`, without the fields that rows do not contain. */
const itemEvent = object({
  id: string(),
  data: object({
    run_id: string(),
    run_number: number(),
    changes: optional(changes, []),
    products: optional(products, []),
  }),
});

/**
 * Converts an event whose type is in `typesWithRows` to rows of the Parquet file of changes: one
 * row for each changed field and for each delisted item, in the order of the entries.
 * @param body the JSON of the event
 */
export function changeRows(body: string): readonly ChangeRow[] {
  const { id: eventId, data } = parse(itemEvent, JSON.parse(body));
  const event = { eventId, runId: data.run_id, runNumber: data.run_number };
  const changed = data.changes.flatMap((entry) =>
    Object.entries(entry.changes).map((change) => changedRow(event, entry, change)),
  );
  return [...changed, ...data.products.map((entry) => delistedRow(event, entry))];
}

type EventIds = Pick<ChangeRow, "eventId" | "runId" | "runNumber">;

const changedRow = (
  event: EventIds,
  entry: Item & { readonly changed_at: string },
  [field, { before, after }]: [string, { readonly before: unknown; readonly after: unknown }],
): ChangeRow => ({
  ...event,
  ...detailsOf(entry),
  kind: "changed",
  at: new Date(entry.changed_at),
  field,
  before: JSON.stringify(before ?? null),
  after: JSON.stringify(after ?? null),
  ...numbers(before, after),
});

const delistedRow = (
  event: EventIds,
  entry: Item & { readonly delisted_at: string },
): ChangeRow => ({
  ...event,
  ...detailsOf(entry),
  kind: "delisted",
  at: new Date(entry.delisted_at),
  field: null,
  before: null,
  after: null,
  ...numbers(null, null),
});

const detailsOf = ({ id, label, metadata, title, url, step }: Item) => ({
  itemId: id,
  label,
  metadata: metadata === undefined ? null : JSON.stringify(metadata),
  title,
  url,
  step,
});

interface Item {
  readonly id: string;
  readonly label: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly title: string | null;
  readonly url: string | null;
  readonly step: string;
}

/** Returns the numeric columns of a row. A column is null if its value is not a number. */
function numbers(before: unknown, after: unknown) {
  const beforeNumber = typeof before === "number" ? before : null;
  const afterNumber = typeof after === "number" ? after : null;
  const isComparable = beforeNumber !== null && afterNumber !== null;
  const percent = isComparable ? percentChange(beforeNumber, afterNumber) : null;
  return { beforeNumber, afterNumber, percent };
}
