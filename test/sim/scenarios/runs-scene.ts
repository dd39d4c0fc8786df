import { dynamoCreditChanges } from "../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoPageStore } from "../../../shared/aws/watchlists/page-store.ts";
import { dynamoHistoryStore } from "../../../shared/aws/history/history-store.ts";
import { dynamoRunStore } from "../../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../../shared/aws/runs/step-store.ts";
import { dynamoWatchlistStore } from "../../../shared/aws/watchlists/watchlist-store.ts";
import type { Histories } from "../checks/ledger-watch.ts";
import type { RunsSeen } from "../checks/run-claims.ts";
import type { User, World } from "../world.ts";
import type { WatchlistRequest } from "./runs-watchlists.ts";
import type { LabelCalls } from "./runs-labels.ts";
import type { RunRecords } from "./runs-records.ts";

/** A watchlist, and the outcomes of its user's calls. */
export interface WatchlistScene {
  readonly user: User;
  readonly request: WatchlistRequest;
  readonly id: string;
  /**
   * The only endpoint that receives the events of the watchlist; null if all subscribed endpoints
   * do.
   */
  readonly receiver: Receiver | null;
  /** The IDs in calls that change items, including calls that failed. */
  readonly touched: Set<string>;
  /**
   * For each ID, whether it is on the watchlist after the last call that named it; undefined if
   * unknown.
   */
  readonly isThere: Map<string, boolean | undefined>;
  /** The calls that set labels of its items. */
  readonly labelCalls: LabelCalls;
  /**
   * The prefix and the choice of snapshot files of the account's destination; null without a
   * destination.
   */
  readonly snapshot: { readonly prefix: string; readonly snapshot: "run" | "day" } | null;
  isDeletionAsked: boolean;
  /** The time of the successful response to a deletion, in milliseconds; null if there is none. */
  deletedAt: number | null;
  /** The changes in the responses that its user got. */
  readonly shownChanges: ShownChange[];
  /** The runs of a deleted watchlist before the purge; undefined while no purge has begun. */
  kept: readonly RunRecords[] | undefined;
}

/** A change of a field in a response of the API. */
export interface ShownChange {
  readonly item_id: string;
  readonly field: string;
  readonly run_number: number;
  readonly after?: unknown;
}

/** A webhook endpoint. `events` are the types that it subscribes to, and null means all types. */
export interface Receiver {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[] | null;
}

export interface RunsScene {
  readonly world: World;
  /** The endpoints, by account. */
  readonly receivers: Map<string, readonly Receiver[]>;
  readonly users: readonly User[];
  readonly lists: readonly WatchlistScene[];
  readonly stores: Stores;
  readonly seen: RunsSeen;
  /** The balances and budgets of the accounts, by account ID. */
  readonly ledgers: Histories;
}

export type Stores = ReturnType<typeof storesOf>;

/** Returns stores into which no faults are injected, for the set-up and the checks. */
export const storesOf = ({ client, table, clock, randomSource }: World) => {
  const base = { table, clock, random: randomSource };
  return {
    watchlists: dynamoWatchlistStore(client, base),
    pages: dynamoPageStore(client, base),
    runs: dynamoRunStore(client, base),
    steps: dynamoStepStore(client, base),
    history: dynamoHistoryStore(client, base),
    changes: dynamoCreditChanges(client, {
      accountsTable: table,
      ledgerTable: table,
      clock,
      random: randomSource,
    }),
  };
};
