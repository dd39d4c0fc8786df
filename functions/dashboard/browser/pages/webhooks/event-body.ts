import type { FieldChange } from "../../api/resources.ts";

/** The value of a field in an event; null if the field has no value. */
export type FieldValue = FieldChange["after"];
/** The values of an item, by field. */
export type Values = Readonly<Record<string, FieldValue>>;

/** An entry about one item in an event, with the fields that the dashboard shows. */
export interface EventEntry {
  readonly id: string;
  readonly label?: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  readonly step?: string;
  /** The `when` of the matching route. Only `watchlist.product.matched` has it. */
  readonly branch?: string;
  /** The changed fields. Only `watchlist.product.changed` has them. */
  readonly changes?: Readonly<
    Record<string, { readonly before: FieldValue; readonly after: FieldValue }>
  >;
  /** The known values of the item at the time of the event. */
  readonly values: Values;
}

/** An event about items. */
export interface ItemsEvent {
  readonly currency: string;
  readonly runNumber: number;
  /**
   * The number of this event, from 1, among the events that together report the items of the run.
   */
  readonly part: number;
  /** The number of the events that together report the items of the run. */
  readonly parts: number;
  readonly entries: readonly EventEntry[];
}

/** An event that reports the end of a run. */
export interface RunEvent {
  readonly runNumber: number;
  readonly status: string;
  readonly credits: number;
  readonly changed: number;
  readonly matched: number;
  readonly delisted: number;
}

/** The body of a delivery in a form that the dashboard shows. */
export interface EventBody {
  /** The text, indented; unchanged if it is not JSON. */
  readonly indented: string;
  /** Present in an event about items. */
  readonly items?: ItemsEvent;
  /** Present in `watchlist.run.completed`. */
  readonly run?: RunEvent;
}

interface SentEntry extends Omit<EventEntry, "values"> {
  readonly snapshot?: Values | null;
  readonly last_snapshot?: Values | null;
  readonly values?: Values | null;
}

interface SentData {
  readonly currency?: string;
  readonly run_number?: number;
  readonly part?: number;
  readonly parts?: number;
  readonly status?: string;
  readonly credits?: number;
  readonly stats?: Readonly<Record<"changed" | "matched" | "delisted", number>>;
  readonly changes?: readonly SentEntry[];
  readonly products?: readonly SentEntry[];
}

/**
 * Parses the body of a delivery for display. If the body is not JSON, returns only the unchanged
 * text, in `indented`.
 */
export function eventBodyOf(body: string): EventBody {
  const event = parsed(body);
  if (event === undefined) return { indented: body };
  const indented = JSON.stringify(event, undefined, 2);
  const { data: sent }: { readonly data?: unknown } = Object(event);
  const data: SentData = Object(sent);
  const { run_number: runNumber = 0, stats, credits = 0, status = "" } = data;
  const entries = data.changes ?? data.products;
  if (entries !== undefined) {
    const { currency = "", part = 1, parts = 1 } = data;
    return {
      indented,
      items: { currency, runNumber, part, parts, entries: entries.map(eventEntryOf) },
    };
  }
  if (stats === undefined) return { indented };
  const { changed, matched, delisted } = stats;
  return { indented, run: { runNumber, status, credits, changed, matched, delisted } };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Converts an entry of an event from the JSON of the API. `values` of the result contains the
 * item's values in the event, or its last known values, or is empty.
 */
export function eventEntryOf(sent: unknown): EventEntry {
  const { snapshot, last_snapshot: last, values, ...entry }: SentEntry = Object(sent);
  return { ...entry, values: values ?? snapshot ?? last ?? {} };
}
