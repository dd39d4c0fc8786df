import type { OutboxChange } from "./change.ts";
import {
  type DeliveryTarget,
  entryName,
  isDue,
  type Lane,
  type OutboxEntry,
  type OutboxStore,
} from "./outbox.ts";

/**
 * The entries of an outbox during a drain. A small outbox is read with one request and kept in
 * memory. This is safe, because only the lease holder removes entries, and `OutboxStore.release`
 * detects entries that other processes have added. For a larger outbox, each call of `due` reads
 * the first entries of each lane.
 */
export interface EntryList {
  /** Reads the entries, unless they are in memory. Keeps them if there are fewer than `limit`. */
  load(limit: number): Promise<void>;
  /**
   * Returns up to `limit` entries of each lane that are due at `by` (null: all entries), in the
   * order of their due times. Call `load` first.
   */
  due(by: Date | null, limit: number): Promise<Readonly<Record<Lane, readonly OutboxEntry[]>>>;
  /** Applies a change that this drain stores to the entries in memory. */
  apply(change: Pick<OutboxChange<unknown>, "removed" | "added">): void;
  /** Returns all entries of the outbox; null if they are not in memory. */
  remaining(): readonly OutboxEntry[] | null;
  /**
   * Discards the entries in memory. Call it if another process has added entries. The next call of
   * `load` reads all entries again.
   */
  forget(): void;
}

/**
 * Creates the list of the outbox entries of a target that this process has claimed. Reads nothing
 * yet.
 * @param claimed all entries of the outbox, if the claim returned them; otherwise null
 */
export function entryList(
  target: DeliveryTarget,
  outbox: Pick<OutboxStore<unknown>, "all" | "entries">,
  claimed: readonly OutboxEntry[] | null,
): EntryList {
  let known: "unread" | "too many" | Map<string, OutboxEntry> =
    claimed === null ? "unread" : new Map(claimed.map(named));
  return {
    async load(limit) {
      if (known !== "unread") return;
      const entries = await outbox.all(target, limit);
      known = entries.length < limit ? new Map(entries.map(named)) : "too many";
    },
    async due(by, limit) {
      if (typeof known === "string") {
        const entriesOf = (lane: Lane) => outbox.entries(target, { lane, by, limit });
        const [first, later] = await Promise.all([entriesOf("first"), entriesOf("later")]);
        return { first, later };
      }
      const due = [...known]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, entry]) => entry)
        .filter((entry) => by === null || isDue(entry, by));
      const entriesOf = (wanted: Lane) => due.filter(({ lane }) => lane === wanted).slice(0, limit);
      return { first: entriesOf("first"), later: entriesOf("later") };
    },
    apply({ removed, added = [] }) {
      if (typeof known === "string") return;
      if (removed !== undefined) known.delete(entryName(removed));
      for (const entry of added) known.set(entryName(entry), entry);
    },
    remaining: () => (typeof known === "string" ? null : [...known.values()]),
    forget() {
      known = "unread";
    },
  };
}

const named = (entry: OutboxEntry): readonly [string, OutboxEntry] => [entryName(entry), entry];
