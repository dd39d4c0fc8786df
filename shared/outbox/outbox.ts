/**
 * A delivery target: a webhook endpoint, the account's S3 destination, or the deployment's event
 * bus for the events of the account. Each target has a separate outbox, which one process at a time
 * drains, so that a slow target does not delay the others.
 */
export interface DeliveryTarget {
  readonly accountId: string;
  /** ID of the webhook endpoint (`we_...`), `s3_destination`, or `event_bus`. */
  readonly targetId: string;
}

/**
 * The lanes of an outbox: `first` for new entries, `later` for retries. A backlog of retries
 * therefore does not delay new entries.
 */
export const lanes = ["first", "later"] as const;
export type Lane = (typeof lanes)[number];

/** One pending delivery of a target, identified by lane, due time and key. */
export interface OutboxEntry {
  readonly lane: Lane;
  /** Due time, ISO 8601. */
  readonly dueAt: string;
  readonly key: string;
  /** JSON value. Only the domain that added the entry reads it. */
  readonly content: unknown;
}

/** Returns the name of an entry, unique within its delivery target. */
export const entryName = ({ lane, dueAt, key }: OutboxEntry): string => `${lane}#${dueAt}#${key}`;

/** Returns true if the entry is due at `now`. */
export const isDue = ({ dueAt }: OutboxEntry, now: Date): boolean => new Date(dueAt) <= now;

/** The exclusive right to drain a target until `until`. The token identifies the lease holder. */
export interface Lease {
  readonly token: string;
  readonly until: Date;
}

/** Changes of one target that a single transaction stores. */
export interface OutboxChanges<LogRecord> {
  readonly removed: readonly OutboxEntry[];
  readonly added: readonly OutboxEntry[];
  /** New or changed rows of the target's log. */
  readonly records: readonly LogRecord[];
}

/** Result of a successful claim. */
export interface ClaimResult {
  /**
   * The number of additions to the outbox since it was last empty. `release` compares it to detect
   * later additions.
   */
  readonly additions: number;
  /** Due time of the target before the claim, or the time of the claim if that is earlier. */
  readonly due: Date;
  /** The stored session state; undefined if there is none. */
  readonly state: unknown;
  /** All entries of the outbox. Null if the row of the target does not contain them. */
  readonly entries: readonly OutboxEntry[] | null;
}

/** The result of a claim that the limit of the account allows. */
export interface Admission {
  /**
   * True if the account is at its limit or other targets wait. The waiting targets must then be
   * woken after the release.
   */
  readonly crowded: boolean;
}

/** The state of a target as its lease holder passes it to `release`. */
export interface HeldTarget {
  /** The token of the lease. */
  readonly token: string;
  /** The number of additions that the claim, or the last attempt to release, returned. */
  readonly additions: number;
  /**
   * All entries of the outbox after the release. Null if they are not known: the store then reads
   * the earliest entry.
   */
  readonly remaining: readonly OutboxEntry[] | null;
}

/** The last changes of a session, which are stored with the release of the lease. */
export interface LastChanges<LogRecord> {
  readonly changes: OutboxChanges<LogRecord>;
  /** The session state for the next claim; undefined keeps the stored one. */
  readonly state?: unknown;
}

/** The result of an attempt to release a lease. */
export type ReleaseResult =
  /** `next`: due time of the earliest entry; null if the outbox is empty. */
  | { readonly outcome: "released"; readonly next: Date | null }
  /** Not released: entries were added since the claim or since the last release attempt. */
  | { readonly outcome: "more"; readonly additions: number }
  /** Not released: this process no longer holds the lease. */
  | { readonly outcome: "lost" };

/** Adds entries to the outboxes of delivery targets. */
export interface Outbox {
  /**
   * Adds up to 50 entries and makes the target due, in one transaction. Replaces the content of an
   * entry that exists. Also adds an entry that was removed earlier.
   */
  add(target: DeliveryTarget, entries: readonly OutboxEntry[]): Promise<void>;
  /**
   * Makes the target due without adding an entry. If the target is disabled or deleted, a worker
   * then ends its entries.
   */
  wake(target: DeliveryTarget, now: Date): Promise<void>;
}

/** Selects entries of one lane by their due times; `OutboxStore.entries` describes the fields. */
export interface EntryQuery {
  readonly lane: Lane;
  readonly by: Date | null;
  readonly after?: Date;
  readonly limit: number;
}

/** Stores outboxes and their leases. A `LogRecord` is one entry in the log of a delivery target. */
export interface OutboxStore<LogRecord> extends Outbox {
  /**
   * Claims a delivery target under a lease. Returns null if another process holds the lease, or if
   * the target has no due time.
   */
  claim(
    target: DeliveryTarget,
    claim: { readonly lease: Lease; readonly now: Date },
  ): Promise<ClaimResult | null>;
  /**
   * Checks the limit of the account after a claim with the same `lease` and `now`. `due` is the
   * time that the claim returned. If `targetsAtOnceMax` other targets of the account are being
   * drained, releases the lease, makes the target due at `due` again, and returns null.
   */
  admit(
    target: DeliveryTarget,
    claim: { readonly lease: Lease; readonly now: Date; readonly due: Date },
  ): Promise<Admission | null>;
  /** Lists the due targets of an account that have no lease holder, longest due first. */
  waiting(accountId: string, now: Date): Promise<readonly DeliveryTarget[]>;
  /** Lists up to `limit` entries of both lanes, those of lane `first` first. */
  all(target: DeliveryTarget, limit: number): Promise<readonly OutboxEntry[]>;
  /**
   * Lists up to `limit` entries of a lane, sorted by due time. Omits entries that are due after
   * `by` (null: no bound). If `after` is defined, also omits entries that are due at or before
   * `after`.
   */
  entries(target: DeliveryTarget, query: EntryQuery): Promise<readonly OutboxEntry[]>;
  /**
   * Stores changes, and `state` if it is defined, and extends the lease to `lease.until`, in one
   * transaction. Returns false, without storing anything, if this process no longer holds the
   * lease.
   */
  record(
    target: DeliveryTarget,
    change: {
      readonly lease: Lease;
      readonly changes: OutboxChanges<LogRecord>;
      readonly state?: unknown;
    },
  ): Promise<boolean>;
  /**
   * Releases the lease. The target becomes due again at the due time of its earliest entry. With
   * `last`, stores the last changes in the same transaction; `held.remaining` must then list the
   * entries. Stores nothing unless the outcome is `released`.
   */
  release(
    target: DeliveryTarget,
    held: HeldTarget,
    last?: LastChanges<LogRecord>,
  ): Promise<ReleaseResult>;
}

/** Reads the stored session states of delivery targets, for API responses. */
export interface TargetStates {
  /** The session state of a target; undefined if none is stored. */
  get(target: DeliveryTarget): Promise<unknown>;
  /** The session states of an account by target ID. Targets without a state are absent. */
  list(accountId: string): Promise<ReadonlyMap<string, unknown>>;
}

/** Reads entries that have had no attempt yet, for the lists of deliveries and exports. */
export interface PendingWork {
  /** Lists the targets of an account that have entries. */
  targets(accountId: string): Promise<readonly DeliveryTarget[]>;
  /**
   * Lists entries of lane `first` that are due from `since` to `until` (ISO times, inclusive; null:
   * no bound), newest first. Returns `limit` entries, and also all further entries with the same
   * due time as the last of them.
   */
  newest(
    target: DeliveryTarget,
    span: { readonly since: string | null; readonly until: string | null; readonly limit: number },
  ): Promise<readonly OutboxEntry[]>;
}

/** Finds due delivery targets of all accounts, for the sweeper. */
export interface DueTargets {
  /** Lists at most `limit` targets that are due at `now`, longest due first. */
  due(now: Date, limit: number): Promise<readonly DeliveryTarget[]>;
}

/**
 * Sends wake-up messages to the delivery worker. If a message is lost, the sweeper sends another
 * one.
 */
export interface OutboxQueue {
  /** Sends one message for each target, to arrive after `delaySeconds` (0 to 900). */
  send(targets: readonly DeliveryTarget[], delaySeconds: number): Promise<void>;
}

/** Returns the delivery target of an account's events on the bus of the deployment. */
export const busTarget = (accountId: string): DeliveryTarget => ({
  accountId,
  targetId: "event_bus",
});

/** Returns the delivery target of an account's S3 destination. */
export const destinationTarget = (accountId: string): DeliveryTarget => ({
  accountId,
  targetId: "s3_destination",
});

/** Returns the delivery target of a webhook endpoint. */
export const endpointTarget = (accountId: string, endpointId: string): DeliveryTarget => ({
  accountId,
  targetId: endpointId,
});

/** The kinds of delivery targets. */
export type TargetKind = "endpoint" | "destination" | "bus";

/** Returns the kind of a delivery target (webhook endpoint, S3 destination or bus), from its ID. */
export function targetKind({ accountId, targetId }: DeliveryTarget): TargetKind {
  if (targetId === destinationTarget(accountId).targetId) return "destination";
  return targetId === busTarget(accountId).targetId ? "bus" : "endpoint";
}
