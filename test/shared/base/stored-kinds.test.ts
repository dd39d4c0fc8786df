import { describe, expect, it } from "vitest";
import {
  accountKeys,
  deliveryKeys,
  historyKeys,
  ledgerKeys,
  type RowKey,
  watchlistKeys,
} from "../../../shared/aws/table/table.ts";
import {
  isOfKind,
  laterRowKinds,
  objectKinds,
  type RowKinds,
  rowKinds,
} from "../../../shared/base/stored-kinds.ts";
import { acceptedVersions, type StoredKind } from "../../../shared/base/stored-versions.ts";
import { tableSchema } from "../../../shared/base/table-schema.ts";
import previous from "../../fixtures/previous-stored-versions.json" with { type: "json" };

const account = "acct_1";
const list = "wl_1";
const run = "wlrun_1";
const at = "2026-03-01T10:00:00.000Z";
const batch = { step: "check", plan: "plan_1", number: 3 };
const target = { accountId: account, targetId: "we_1" };

/** A key from each function that builds keys, by table. */
const keys = {
  accounts: {
    account: accountKeys.account(account),
    key: accountKeys.key(account, "key_1"),
    keyCount: accountKeys.keyCount(account),
    keyHash: accountKeys.keyHash("0123abcd"),
    dailyBudget: accountKeys.dailyBudget("acct_1", "wl_1", "2026-03-01"),
    hold: accountKeys.hold(account, "wlrun_1#check"),
    change: accountKeys.change(account, "invoice#1"),
    usage: accountKeys.usage(account, "2026-03-01"),
    shard: accountKeys.shard(account, 4),
    shardUsage: accountKeys.shardUsage(account, 4, "2026-03-01"),
    sourceRate: accountKeys.sourceRate("upstream"),
    sourceHealth: accountKeys.sourceHealth("retailer_a.lite", "2026-03-01T12:00:00.000Z"),
  } satisfies Record<keyof typeof accountKeys, RowKey>,
  ledger: {
    page: ledgerKeys.page(account, 4, 1_000),
    entry: ledgerKeys.entry(account, 7),
  } satisfies Record<Exclude<keyof typeof ledgerKeys, `${string}Max`>, RowKey>,
  watchlists: {
    watchlist: watchlistKeys.watchlist(account, list),
    count: watchlistKeys.count(account),
    idempotency: watchlistKeys.idempotency(account, "0123abcd"),
    purge: watchlistKeys.purge(list),
    page: watchlistKeys.page(list, ""),
    pageSecondRow: watchlistKeys.pageSecondRow(list, ""),
    detailsPage: watchlistKeys.detailsPage(list, ""),
    run: watchlistKeys.run(list, 7),
    starts: watchlistKeys.starts(run, { plan: "plan_1", step: "check", chunk: 1 }),
    step: watchlistKeys.step(run, "check"),
    result: watchlistKeys.result(run, batch),
    resultDetails: watchlistKeys.resultDetails(run, batch, { digest: "0123abcd", chunk: 0 }),
    batch: watchlistKeys.batch(run, batch),
    before: watchlistKeys.before(run, { step: "check", number: 1, attempt: "0a1b", chunk: 0 }),
    backtest: watchlistKeys.backtest(list, "bt_1"),
    backtestInProgress: watchlistKeys.backtestInProgress(account),
    historyHead: historyKeys.head(list),
    historyRun: historyKeys.run(list, 7, 1),
    historyItems: historyKeys.items(list, { bucket: 3, window: 2, chunk: 1 }),
  } satisfies Record<
    keyof typeof watchlistKeys | `history${Capitalize<keyof typeof historyKeys>}`,
    RowKey
  >,
  deliveries: {
    endpoint: deliveryKeys.endpoint(account, "we_1"),
    deletedEndpoint: deliveryKeys.deletedEndpoint(account, "we_1"),
    endpointUrl: deliveryKeys.endpointUrl(account, "https://example.com"),
    probes: deliveryKeys.probes(account),
    endpointCount: deliveryKeys.endpointCount(account),
    destination: deliveryKeys.destination(account),
    delivery: deliveryKeys.delivery(account, "whd_1"),
    export: deliveryKeys.export(account, "exp_1"),
    outbox: deliveryKeys.outbox(target),
    outboxEntry: deliveryKeys.outboxEntry(target, { lane: "first", dueAt: at, key: "a#b" }),
    runArchive: deliveryKeys.runArchive(account, run),
    feedCount: deliveryKeys.feedCount(account),
    feedEntry: deliveryKeys.feedEntry(account, 7),
    feedRun: deliveryKeys.feedRun(account, { createdAt: at, runId: run }),
  } satisfies Record<keyof typeof deliveryKeys, RowKey>,
};

const built = Object.entries(keys).flatMap(([table, ofTable]) =>
  Object.entries(ofTable).map(([name, key]) => ({ table, name, key })),
);
const kinds: RowKinds = rowKinds;
const kindsOf = (key: RowKey) => Object.entries(kinds).filter(([, kind]) => isOfKind(kind, key));

describe("the list of row kinds", () => {
  it.each(built)(
    "contains exactly one kind for the key $name of the table $table",
    ({ table, key }) => {
      expect(kindsOf(key).map(([, kind]) => kind.table)).toEqual([table]);
    },
  );

  it("contains only kinds for which a key exists", () => {
    const used = new Set(built.flatMap(({ key }) => kindsOf(key).map(([name]) => name)));

    expect(Object.keys(kinds).filter((name) => !used.has(name))).toEqual([]);
  });

  it("contains in laterRowKinds exactly the kinds that have a conversion or a version after 1", () => {
    const later = Object.entries(kinds).filter(
      ([, { version, conversion }]) => version > 1 || conversion !== undefined,
    );

    expect(Object.keys(laterRowKinds)).toEqual(later.map(([name]) => name));
  });

  it("contains no conversion of an attribute of a key, of the due index or of the time to live", () => {
    const { partitionKey, sortKey, timeToLive, dueIndex } = tableSchema;
    const fixed = [partitionKey, sortKey, timeToLive, dueIndex.partitionKey, dueIndex.sortKey];
    const converted = Object.values(kinds).flatMap(({ conversion }) =>
      conversion === undefined ? [] : conversion.olderNames.concat(conversion.newerNames),
    );

    expect(converted.filter((name) => (fixed as string[]).includes(name))).toEqual([]);
  });
});

interface Versions {
  readonly version: number;
  readonly accepts: readonly number[];
}

/** Returns the kinds whose rows two successive releases cannot read from each other. */
function violations(
  before: Readonly<Record<string, Versions>>,
  now: Readonly<Record<string, StoredKind>>,
): readonly string[] {
  const found: string[] = [];
  for (const [name, kind] of Object.entries(now)) {
    const old = before[name] ?? { version: 1, accepts: [1] };
    if (!acceptedVersions(kind).includes(old.version)) {
      found.push(`${name}: this release does not accept version ${old.version}`);
    }
    if (!old.accepts.includes(kind.version)) {
      found.push(`${name}: the previous release does not accept version ${kind.version}`);
    }
  }
  return found;
}

describe("the check of stored versions between two releases", () => {
  const nothing = { olderNames: [], newerNames: [], toNewer: () => ({}), toOlder: () => ({}) };
  const conversion = { older: 1, ...nothing };

  it("finds no violation between the previous release and this one", () => {
    expect(violations(previous.kinds, { ...rowKinds, ...objectKinds })).toEqual([]);
  });

  it("requires that this release still has every kind of the previous release", () => {
    expect(
      Object.keys(previous.kinds).filter((name) => !(name in { ...rowKinds, ...objectKinds })),
    ).toEqual([]);
  });

  it("forbids a version that the previous release cannot read", () => {
    expect(
      violations({ run: { version: 1, accepts: [1] } }, { run: { version: 2, conversion } }),
    ).toEqual(["run: the previous release does not accept version 2"]);
  });

  it("forbids dropping a version that the previous release writes", () => {
    expect(violations({ run: { version: 1, accepts: [1, 2] } }, { run: { version: 2 } })).toEqual([
      "run: this release does not accept version 1",
    ]);
  });

  it("allows that one release accepts a new version, the next release writes it, and the third release requires it", () => {
    const steps = [
      [
        { version: 1, accepts: [1] },
        { version: 1, conversion },
      ],
      [
        { version: 1, accepts: [1, 2] },
        { version: 2, conversion },
      ],
      [{ version: 2, accepts: [1, 2] }, { version: 2 }],
    ] as const;

    for (const [before, now] of steps)
      expect(violations({ run: before }, { run: now })).toEqual([]);
  });
});
