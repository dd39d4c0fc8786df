/**
 * The list of everything that the service stores: each kind of rows and objects, with its version.
 * Increase a version only if the previous release could not read or write the new data correctly.
 * CONTRIBUTING.md describes how to do this.
 */
import type { StoredKind } from "./stored-versions.ts";

export type TableName = "accounts" | "ledger" | "watchlists" | "deliveries";

/** A kind of rows. */
export interface RowKind extends StoredKind {
  readonly table: TableName;
  /** Pattern of the partition key. `*` matches one or more characters other than `#`. */
  readonly pk: string;
  /**
   * Pattern of the sort key. `*` matches any text that does not end with `!`, even an empty one.
   * Keys that end with `!` belong to `pageSecondRow`.
   */
  readonly sk: string;
}

export type RowKinds = Readonly<Record<string, RowKind>>;

const account = "account#*";
const shard = "account#*#shard#*";
const watchlist = "watchlist#*";
const run = "run#*";
const history = "history#*";

/**
 * The kinds of rows with a version above 1 or a conversion. Only these are in the bundles of
 * functions.
 */
export const laterRowKinds = {} as const satisfies RowKinds;

/** The kinds of rows that have only version 1. */
const firstRowKinds = {
  account: { table: "accounts", pk: account, sk: "account", version: 1 },
  apiKey: { table: "accounts", pk: account, sk: "key#*", version: 1 },
  apiKeyCount: { table: "accounts", pk: account, sk: "keys", version: 1 },
  apiKeyHash: { table: "accounts", pk: "key#*", sk: "key", version: 1 },
  hold: { table: "accounts", pk: account, sk: "hold#*", version: 1 },
  dailyBudget: { table: "accounts", pk: account, sk: "budget#*", version: 1 },
  creditChange: { table: "accounts", pk: account, sk: "change#*", version: 1 },
  usage: { table: "accounts", pk: account, sk: "usage#*", version: 1 },
  shard: { table: "accounts", pk: shard, sk: "shard", version: 1 },
  shardUsage: { table: "accounts", pk: shard, sk: "usage#*", version: 1 },
  sourceRate: { table: "accounts", pk: "source#*", sk: "rate", version: 1 },
  sourceHealth: { table: "accounts", pk: "source#*", sk: "health#*", version: 1 },

  journalPage: { table: "ledger", pk: shard, sk: "page#*", version: 1 },
  ledgerEntry: { table: "ledger", pk: account, sk: "entry#*", version: 1 },

  watchlist: { table: "watchlists", pk: account, sk: "watchlist#*", version: 1 },
  watchlistCount: { table: "watchlists", pk: account, sk: "watchlists", version: 1 },
  idempotencyKey: { table: "watchlists", pk: account, sk: "idempotency#*", version: 1 },
  purge: { table: "watchlists", pk: watchlist, sk: "purge", version: 1 },
  backtest: { table: "watchlists", pk: watchlist, sk: "backtest#*", version: 1 },
  backtestInProgress: { table: "watchlists", pk: account, sk: "backtest", version: 1 },
  itemPage: { table: "watchlists", pk: watchlist, sk: "page#*", version: 1 },
  pageSecondRow: { table: "watchlists", pk: watchlist, sk: "page#*!", version: 1 },
  detailsPage: { table: "watchlists", pk: watchlist, sk: "details#*", version: 1 },
  run: { table: "watchlists", pk: watchlist, sk: "run#*", version: 1 },
  starts: { table: "watchlists", pk: run, sk: "starts#*", version: 1 },
  step: { table: "watchlists", pk: run, sk: "step#*", version: 1 },
  result: { table: "watchlists", pk: run, sk: "result#*", version: 1 },
  resultDetails: { table: "watchlists", pk: run, sk: "details#*", version: 1 },
  batch: { table: "watchlists", pk: run, sk: "batch#*", version: 1 },
  itemsBefore: { table: "watchlists", pk: run, sk: "before#*", version: 1 },
  historyHead: { table: "watchlists", pk: history, sk: "head", version: 1 },
  historyRun: { table: "watchlists", pk: history, sk: "run#*", version: 1 },
  historyItems: { table: "watchlists", pk: history, sk: "items#*", version: 1 },

  endpoint: { table: "deliveries", pk: "*#endpoints", sk: "endpoint#*", version: 1 },
  deletedEndpoint: { table: "deliveries", pk: "*#endpoints", sk: "deleted#*", version: 1 },
  endpointUrl: { table: "deliveries", pk: "*#endpoints", sk: "url#*", version: 1 },
  endpointCount: { table: "deliveries", pk: "*#endpoints", sk: "count", version: 1 },
  probes: { table: "deliveries", pk: "*#probes", sk: "probes#*", version: 1 },
  destination: { table: "deliveries", pk: "*#destination", sk: "destination", version: 1 },
  delivery: { table: "deliveries", pk: "*#deliveries", sk: "*", version: 1 },
  export: { table: "deliveries", pk: "*#exports", sk: "*", version: 1 },
  outbox: { table: "deliveries", pk: "*#outbox", sk: "*", version: 1 },
  runArchive: { table: "deliveries", pk: "*#archives", sk: "*", version: 1 },
  outboxEntry: { table: "deliveries", pk: "*#outbox#*", sk: "*", version: 1 },
  feedCount: { table: "deliveries", pk: "*#feed", sk: "count", version: 1 },
  feedEntry: { table: "deliveries", pk: "*#feed", sk: "run#*", version: 1 },
  feedRun: { table: "deliveries", pk: "*#feedruns", sk: "*", version: 1 },
} as const satisfies RowKinds;

/**
 * All kinds of rows. Each key that `shared/aws/table/table.ts` builds belongs to exactly one kind.
 */
export const rowKinds = /* @__PURE__ */ Object.assign({}, firstRowKinds, laterRowKinds);

/**
 * The kinds of objects in the events bucket. Objects in customers' buckets are not listed, because
 * their keys contain their version (`v=2`).
 */
export const objectKinds = {
  /**
   * The index of a run's events: the object `run.json.gz`, or the attribute `run_index` of the
   * archive row of a small run. Its version also applies to the run's chunks.
   */
  runIndex: { version: 1 },
  /**
   * The chunks of a run's events. A new version needs new keys, because finishers of two releases
   * can write chunks of the same run.
   */
  eventChunk: { version: 1 },
} as const satisfies Readonly<Record<string, StoredKind>>;

/** A key of a row. */
interface Key {
  readonly pk?: unknown;
  readonly sk?: unknown;
}

/** Returns true if a row with this key is a row of this kind. */
export function isOfKind({ pk, sk }: Pick<RowKind, "pk" | "sk">, key: Key): boolean {
  return (
    typeof key.pk === "string" &&
    typeof key.sk === "string" &&
    patternOf(pk, "[^#]+").test(key.pk) &&
    patternOf(sk, "(?:.*[^!])?").test(key.sk)
  );
}

const patterns = new Map<string, RegExp>();

/** Returns the regular expression of a key pattern, in which `wildcard` replaces each `*`. */
function patternOf(text: string, wildcard: string): RegExp {
  const name = `${wildcard} ${text}`;
  const known = patterns.get(name);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${text.replaceAll("*", wildcard)}$`, "s");
  patterns.set(name, pattern);
  return pattern;
}
