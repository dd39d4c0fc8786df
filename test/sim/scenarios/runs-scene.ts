import { dynamoCreditChanges } from "../../../shared/aws/ledger/credit-changes.ts";
import { dynamoPageStore } from "../../../shared/aws/watchlists/page-store.ts";
import { dynamoRunStore } from "../../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../../shared/aws/runs/step-store.ts";
import { dynamoWatchlistStore } from "../../../shared/aws/watchlists/watchlist-store.ts";
import type { RunsSeen } from "../checks/run-claims.ts";
import type { User, World } from "../world.ts";
import type { ListRequest } from "./runs-lists.ts";
import type { RunRecords } from "./runs-records.ts";

/** A list and what its user did to it, as far as the user knows. */
export interface ListScene {
  readonly user: User;
  readonly request: ListRequest;
  readonly id: string;
  /** Where its events go, and nowhere else; null: to every endpoint that asks for them. */
  readonly receiver: Receiver | null;
  /** Ids that a call named, whether it went well or not. */
  readonly touched: Set<string>;
  /** Whether an id is on the list by the last call that named it; undefined after an unknown one. */
  readonly isThere: Map<string, boolean | undefined>;
  isDeletionAsked: boolean;
  /** When a deletion was answered, in milliseconds. */
  deletedAt: number | null;
  /** What the runs of a deleted list recorded, looked at before it was gone. */
  kept: readonly RunRecords[] | undefined;
}

/** A webhook endpoint; `events`: the types that it asks for, null: all. */
export interface Receiver {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[] | null;
}

export interface RunsScene {
  readonly world: World;
  /** By account. */
  readonly receivers: Map<string, readonly Receiver[]>;
  readonly users: readonly User[];
  readonly lists: readonly ListScene[];
  readonly stores: Stores;
  readonly seen: RunsSeen;
}

export type Stores = ReturnType<typeof storesOf>;

export const storesOf = ({ client, table, clock, chance }: World) => {
  const base = { table, clock, chance };
  return {
    watchlists: dynamoWatchlistStore(client, base),
    pages: dynamoPageStore(client, base),
    runs: dynamoRunStore(client, base),
    steps: dynamoStepStore(client, base),
    changes: dynamoCreditChanges(client, {
      accountsTable: table,
      ledgerTable: table,
      clock,
      chance,
    }),
  };
};
