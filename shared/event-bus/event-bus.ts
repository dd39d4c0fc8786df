/** An event as the bus receives it. */
export interface BusEntry {
  /** The event type; rules of the bus match it as `detail-type`. */
  readonly type: string;
  /** Time at which the event was created (ISO 8601). */
  readonly createdAt: string;
  /** ID of the watchlist; rules of the bus match it in `resources`. */
  readonly watchlistId: string;
  /** JSON text of the event's envelope. If the envelope is too large, the text lacks `data`. */
  readonly detail: string;
}

/** The outcome of putting one entry on the bus. `reason` is the error code of a failure. */
export type PutOutcome =
  | { readonly outcome: "sent" }
  | { readonly outcome: "failed"; readonly reason: string };

/** The event bus of the deployment, which receives the events of all accounts. */
export interface EventBus {
  /**
   * Puts entries on the bus and returns one outcome for each entry, in the order of the entries. If
   * the bus cannot be reached, all outcomes are failures. The caller passes a batch that
   * `batchFits` accepts.
   */
  put(entries: readonly BusEntry[]): Promise<readonly PutOutcome[]>;
}

/** The `source` of all entries, which rules of the bus match. */
export const busSource = "retail-product-data";

/** Limits of one call of the bus. */
export const batchBounds = {
  /** Maximum number of entries. */
  entriesMax: 10,
  /**
   * Maximum size of a batch, and therefore of an entry, in bytes. The API reference of PutEvents
   * limits a request to 256 KB; newer pages state 1 MB. The service uses the lower limit, less 6 KB
   * for the names and characters that the bus adds to each event.
   */
  bytesMax: 250 * 1024,
};
/** Bytes that the bus counts for the time of an entry. */
const timeBytes = 14;

/** Returns the size of an entry in bytes, as the bus counts it. */
export const entryBytes = ({ type, watchlistId, detail }: BusEntry): number =>
  [busSource, type, watchlistId, detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
  timeBytes;

/** Returns true if the number of entries and their total size fit into one call of the bus. */
export const batchFits = (entries: readonly BusEntry[]): boolean =>
  entries.length <= batchBounds.entriesMax &&
  entries.reduce((sum, entry) => sum + entryBytes(entry), 0) <= batchBounds.bytesMax;
