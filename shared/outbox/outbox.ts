/**
 * A delivery target: a webhook endpoint or the account's S3 destination. One process at a time drains
 * its outbox, so that a slow target delays no other.
 */
export interface DeliveryTarget {
  readonly accountId: string;
  /** ID of the webhook endpoint (`we_...`), or `s3_destination`. */
  readonly targetId: string;
}

/** `first`: new work; `later`: retries. Separate, so that no backlog of retries delays new work. */
export type Lane = "first" | "later";

/** One pending delivery of a target, identified by lane, due time and key. */
export interface OutboxEntry {
  readonly lane: Lane;
  /** Due time, ISO 8601. */
  readonly dueAt: string;
  readonly key: string;
  /** JSON value that only the domain that added the entry reads. */
  readonly content: unknown;
}

/** Name of an entry, unique within its target. */
export const entryName = ({ lane, dueAt, key }: OutboxEntry): string => `${lane}#${dueAt}#${key}`;

export const isDue = ({ dueAt }: OutboxEntry, now: Date): boolean => new Date(dueAt) <= now;

/** The exclusive right to drain a target until `until`. The token identifies the lease holder. */
export interface Lease {
  readonly token: string;
  readonly until: Date;
}

/** Writes of one transaction. */
export interface OutboxChanges<LogRecord> {
  readonly removed: readonly OutboxEntry[];
  readonly added: readonly OutboxEntry[];
  /** New or changed rows of the target's log. */
  readonly records: readonly LogRecord[];
}

export interface ClaimResult {
  /** Number of additions to the outbox so far. `release` detects later ones by it. */
  readonly additions: number;
  /** The stored session state; undefined if there is none. */
  readonly state: unknown;
  /** True if the account is at its limit, so that other targets may wait for this one's release. */
  readonly crowded: boolean;
}

export type ReleaseResult =
  /** `next`: due time of the earliest entry; null if the outbox is empty. */
  | { readonly outcome: "released"; readonly next: Date | null }
  /** Not released: entries were added since the claim or the last release attempt. */
  | { readonly outcome: "more"; readonly additions: number }
  | { readonly outcome: "lost" };

/** Adds entries to the outboxes of delivery targets. */
export interface Outbox {
  /**
   * Adds up to 50 entries and makes the target due, in one transaction. Replaces the content of an
   * existing entry; adds a removed entry again.
   */
  add(target: DeliveryTarget, entries: readonly OutboxEntry[]): Promise<void>;
  /** Makes the target due without a new entry, because its entries may have to be ended. */
  wake(target: DeliveryTarget, now: Date): Promise<void>;
}

export interface EntryQuery {
  readonly lane: Lane;
  readonly by: Date | null;
  readonly after?: Date;
  readonly limit: number;
}

/** Stores outboxes and their leases. `LogRecord`: row of the target's log. */
export interface OutboxStore<LogRecord> extends Outbox {
  /**
   * Claims a delivery target under a lease. Null if another process holds the lease, the target does
   * not exist, or `targetsAtOnceMax` targets of its account are being drained.
   */
  claim(
    target: DeliveryTarget,
    claim: { readonly lease: Lease; readonly now: Date },
  ): Promise<ClaimResult | null>;
  /** The due targets of an account that have no lease holder, longest due first. */
  waiting(accountId: string, now: Date): Promise<readonly DeliveryTarget[]>;
  /**
   * Lists entries of a lane that are due at `by` (null: all entries) and, with `after`, later than
   * `after`; longest due first.
   */
  entries(target: DeliveryTarget, wanted: EntryQuery): Promise<readonly OutboxEntry[]>;
  /**
   * Stores changes, and `state` unless undefined, and extends the lease to `lease.until`, in one
   * transaction. False if another process has taken the lease: nothing was stored.
   */
  record(
    target: DeliveryTarget,
    change: {
      readonly lease: Lease;
      readonly changes: OutboxChanges<LogRecord>;
      readonly state?: unknown;
    },
  ): Promise<boolean>;
  /** Releases the lease. The target is due again when its earliest entry is due. */
  release(
    target: DeliveryTarget,
    held: { readonly token: string; readonly additions: number },
  ): Promise<ReleaseResult>;
}

/** Reads the stored session states of delivery targets, for API answers. */
export interface TargetStates {
  /** Undefined if no state is stored. */
  get(target: DeliveryTarget): Promise<unknown>;
  /** The states of an account's targets by target ID, without targets that have none. */
  list(accountId: string): Promise<ReadonlyMap<string, unknown>>;
}

/** Reads entries before their first attempt, for the delivery and export logs. */
export interface PendingWork {
  /** The targets of an account that have entries. */
  targets(accountId: string): Promise<readonly DeliveryTarget[]>;
  /**
   * Entries of lane `first` that are due from `since` to `until` (ISO times, both inclusive; null: no
   * bound), newest first. Returns `limit` entries, and all others with the due time of the last one.
   */
  newest(
    target: DeliveryTarget,
    span: { readonly since: string | null; readonly until: string | null; readonly limit: number },
  ): Promise<readonly OutboxEntry[]>;
}

/** Finds due delivery targets of all accounts, for the sweeper. */
export interface DueTargets {
  /** Targets that are due at `now`, longest due first. */
  due(now: Date, limit: number): Promise<readonly DeliveryTarget[]>;
}

/** Sends wake-up messages to the delivery worker. The sweeper replaces lost messages. */
export interface OutboxQueue {
  /** Sends one message for each target, to arrive after `delaySeconds` (0 to 900). */
  send(targets: readonly DeliveryTarget[], delaySeconds: number): Promise<void>;
}

/** The delivery target of an account's S3 destination. */
export const destinationTarget = (accountId: string): DeliveryTarget => ({
  accountId,
  targetId: "s3_destination",
});

/** The delivery target of a webhook endpoint. */
export const endpointTarget = (accountId: string, endpointId: string): DeliveryTarget => ({
  accountId,
  targetId: endpointId,
});
