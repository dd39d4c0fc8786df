/**
 * Whom the service owes something outside: a webhook endpoint, or the account's S3 destination. A
 * target is worked off by one process at a time, so that a slow one only ever waits for itself.
 */
export interface Target {
  readonly accountId: string;
  /** Id of the endpoint (`we_...`), or `s3_destination`. */
  readonly targetId: string;
}

/** What is owed for the first time comes before what has failed, so that no backlog holds it up. */
export type Lane = "first" | "later";

/** One thing that is owed to a target. Lane, due time and key together tell entries apart. */
export interface Entry {
  readonly lane: Lane;
  /** ISO time from which it may be worked on. */
  readonly dueAt: string;
  readonly key: string;
  /** What is owed, as JSON holds it; the domain that added it knows how to read it. */
  readonly content: unknown;
}

/** What tells an entry apart from the others of its target. */
export const nameOf = ({ lane, dueAt, key }: Entry): string => `${lane}#${dueAt}#${key}`;

export const isDue = ({ dueAt }: Entry, now: Date): boolean => new Date(dueAt) <= now;

/** The right to work a target off until `until`, held by whoever knows the token. */
export interface Lease {
  readonly token: string;
  readonly until: Date;
}

/** What working on entries came to; kept whole or not at all. */
export interface Changes<LogRecord> {
  readonly removed: readonly Entry[];
  readonly added: readonly Entry[];
  /** Rows of the target's log, as they are from now on. */
  readonly records: readonly LogRecord[];
}

export interface Claimed {
  /** How often something was added so far. */
  readonly additions: number;
  /** What the last changes stored for the target's next session; undefined when none did. */
  readonly state: unknown;
  /** True when other targets of the account may be waiting for this one to be given back. */
  readonly crowded: boolean;
}

export type Released =
  /** `next`: when the earliest entry left is due; null when none is left. */
  | { readonly outcome: "released"; readonly next: Date | null }
  /** Something was added since the target was claimed or last looked at. */
  | { readonly outcome: "more"; readonly additions: number }
  | { readonly outcome: "lost" };

/** Whoever owes something adds it here. */
export interface Outbox {
  /**
   * Adds up to 50 entries and makes the target due, in one transaction. An entry that is there takes
   * the new content; one that was worked off is added anew.
   */
  add(target: Target, entries: readonly Entry[]): Promise<void>;
  /** Makes the target due though nothing was added: what it is owed may have come to an end. */
  wake(target: Target, now: Date): Promise<void>;
}

export interface EntriesWanted {
  readonly lane: Lane;
  readonly by: Date | null;
  readonly after?: Date;
  readonly limit: number;
}

/** What is owed to targets, and who is at it. `LogRecord` is what the target's log is made of. */
export interface OutboxStore<LogRecord> extends Outbox {
  /**
   * Takes a target; null when somebody else has it, nothing is known of it, or `targetsAtOnceMax`
   * targets of its account are being worked off.
   */
  claim(
    target: Target,
    claim: { readonly lease: Lease; readonly now: Date },
  ): Promise<Claimed | null>;
  /** The targets of an account that are due and that nobody has, the longest due first. */
  waiting(accountId: string, now: Date): Promise<readonly Target[]>;
  /**
   * Entries of a lane due by a time (null: at any time) and, with `after`, later than that; the
   * longest due first.
   */
  entries(target: Target, wanted: EntriesWanted): Promise<readonly Entry[]>;
  /**
   * Stores changes and extends the lease to `lease.until`, in one transaction; false when the lease
   * was lost. `state`, unless undefined, is stored with them for the next claim.
   */
  record(
    target: Target,
    change: {
      readonly lease: Lease;
      readonly changes: Changes<LogRecord>;
      readonly state?: unknown;
    },
  ): Promise<boolean>;
  /** Gives the target back, due again when its earliest entry is. */
  release(
    target: Target,
    held: { readonly token: string; readonly additions: number },
  ): Promise<Released>;
}

/** What the last session of each target stored, for answers that show it. */
export interface TargetStates {
  /** Undefined when nothing was stored. */
  get(target: Target): Promise<unknown>;
  /** By target ID: those of an account that have one. */
  list(accountId: string): Promise<ReadonlyMap<string, unknown>>;
}

/** What is pending before its first attempt, for the logs. */
export interface PendingWork {
  /** The targets of an account that have entries. */
  targets(accountId: string): Promise<readonly Target[]>;
  /**
   * Entries of the first lane that are due from `since` to `until` (ISO times, both inclusive; null:
   * no bound), newest first: as many as `limit`, and all others that are due at the time of the last.
   */
  newest(
    target: Target,
    span: { readonly since: string | null; readonly until: string | null; readonly limit: number },
  ): Promise<readonly Entry[]>;
}

/** Targets that are due, across accounts, for the sweeper. */
export interface DueTargets {
  /** Targets due at `now`, the longest due first. */
  due(now: Date, limit: number): Promise<readonly Target[]>;
}

/** Wakes the delivery. Its messages are hints: a lost one is made up for by the sweeper. */
export interface OutboxQueue {
  /** Sends one message for each target, to arrive after `delaySeconds` (0 to 900). */
  send(targets: readonly Target[], delaySeconds: number): Promise<void>;
}

/** The target of an account's S3 export. */
export const destinationTarget = (accountId: string): Target => ({
  accountId,
  targetId: "s3_destination",
});

/** The target of a webhook endpoint. */
export const endpointTarget = (accountId: string, endpointId: string): Target => ({
  accountId,
  targetId: endpointId,
});
