import { globSync, readFileSync } from "node:fs";
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { dynamoAccountStore } from "../../../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../../../shared/aws/accounts/api-key-store.ts";
import { dynamoCreditHistory } from "../../../../shared/aws/ledger/credit-history.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { dynamoDeliveryStore } from "../../../../shared/aws/deliveries/delivery-store.ts";
import { dueKeysOf } from "../../../../shared/aws/table/due-keys.ts";
import { dueAt } from "../../../../shared/aws/table/due-partitions.ts";
import { dynamoEndpointStore } from "../../../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoEventFeed } from "../../../../shared/aws/deliveries/event-feed.ts";
import { dynamoExportStore, exportWrite } from "../../../../shared/aws/exports/export-store.ts";
import { dynamoHistoryStore } from "../../../../shared/aws/history/history-store.ts";
import { findEntries } from "../../../../shared/aws/ledger/find-entries.ts";
import { journalPageRow } from "../../../../shared/aws/ledger/journal-page.ts";
import { ledgerProcess } from "../../../../shared/aws/ledger/process.ts";
import { readJournalPages } from "../../../../shared/aws/ledger/read-pages.ts";
import { newShardRow, shardOf } from "../../../../shared/aws/ledger/shard-row.ts";
import { ledgerEntryRow } from "../../../support/old-ledger-entry.ts";
import { dynamoOutboxStore } from "../../../../shared/aws/deliveries/outbox-store.ts";
import { cachedStockStore } from "../../../../shared/aws/watchlists/cached-stock.ts";
import { dynamoPageStore } from "../../../../shared/aws/watchlists/page-store.ts";
import { dynamoPendingWork } from "../../../../shared/aws/deliveries/pending-work.ts";
import { dynamoPurgeStore } from "../../../../shared/aws/watchlists/purge-store.ts";
import { firstRows } from "../../../../shared/aws/table/query-rows.ts";
import { readRows, rowsBelow } from "../../../../tools/reconcile/readers/rows.ts";
import { dynamoRunStore } from "../../../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../../../shared/aws/runs/step-store.ts";
import { accountKeys, deliveryKeys, watchlistKeys } from "../../../../shared/aws/table/table.ts";
import { dynamoHealthStore } from "../../../../shared/aws/sources/health-store.ts";
import { dynamoTargetStates } from "../../../../shared/aws/deliveries/target-states.ts";
import { dynamoUsageStore } from "../../../../shared/aws/accounts/usage-store.ts";
import { dynamoWatchlistStore } from "../../../../shared/aws/watchlists/watchlist-store.ts";
import { derivedIdAt, numberedId } from "../../../../shared/base/ids.ts";
import type { HistoryOrder } from "../../../../shared/history/history-store.ts";
import { newExport } from "../../../../shared/exports/export-record.ts";
import { newItem } from "../../../../shared/watchlists/item.ts";
import type { ItemDetails } from "../../../../shared/watchlists/item-details.ts";
import { pageBounds } from "../../../../shared/watchlists/page.ts";
import { newDelivery } from "../../../../shared/webhooks/delivery.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { anEndpoint } from "../../../support/an-endpoint.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { putWatchlist } from "../../../support/put-watchlist.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { scopes } from "../../../../shared/accounts/scopes.ts";

const tables = openTables();

const account = "acct_1";
const list = "wl_1";
const event = "watchlist.run.completed";
const clock = fixedClock("2026-11-20T11:00:00.000Z");
const random = countingRandom();
/** Returns the time `second` seconds after 10:00:00. */
const at = (second: number): string =>
  new Date(Date.parse("2026-11-20T10:00:00.000Z") + second * 1_000).toISOString();
const five = [1, 2, 3, 4, 5];

/** The table of a test case, with a client whose responses are either complete or cut short. */
interface Place {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}
const optionsOf = ({ table }: Place) => ({
  table,
  tableName: table,
  accountsTable: table,
  ledgerTable: table,
  clock,
  random,
});
const put = ({ client, table }: Place, row: object) =>
  client.send(new PutCommand({ TableName: table, Item: { ...row } }));
const outboxOf = (place: Place) =>
  dynamoOutboxStore<never>(place.client, {
    ...optionsOf(place),
    recordWrite: () => ({}),
  });
const smallPages = { ...pageBounds, itemsMax: 1, mergeItemsMax: 0 };
const pagesOf = (place: Place) =>
  dynamoPageStore(place.client, { ...optionsOf(place), bounds: smallPages });
const idsOf = async (place: Place): Promise<string[]> => {
  const pages = await Array.fromAsync(pagesOf(place).pages(list));
  return pages.flatMap(({ items }) => items.map(({ id }) => id));
};
const rowsOf = ({ client, table }: Place, pk: string): Promise<string[]> =>
  Array.fromAsync(readRows(client, table, rowsBelow(pk, "")), (row) => String(row["sk"]));

/** Stores all pages, with one item each, if `n` is 1. Does nothing for the other values of `n`. */
const fillPages = async (place: Place, n: number): Promise<void> => {
  if (n > 1) return;
  const items = five.map((number) => newItem(`i${number}`, at(0)));
  await pagesOf(place).create(list, items);
};

const detailsOf = (id: string, label: string): ItemDetails => ({
  id,
  addedAt: at(0),
  label,
  metadata: {},
  facts: {},
  readAt: null,
});

interface Case {
  /** The file that sends the query, without `.ts`. */
  readonly file: string;
  readonly title: string;
  readonly fill: (place: Place, n: number) => Promise<unknown>;
  readonly read: (place: Place) => Promise<unknown>;
  readonly found: unknown;
  /** The number of queries if DynamoDB ends no response early; default 1. */
  readonly queries?: number;
}

const putDelivery = (place: Place, n: number): Promise<void> => {
  const subject = { event: { id: `evt_${n}`, type: event, createdAt: at(n) } as const };
  const endpointId = n % 2 === 0 ? "we_even" : "we_odd";
  const delivery = newDelivery({ ...subject, watchlistId: list, runId: `run_${n}`, endpointId });
  return dynamoDeliveryStore(place.client, optionsOf(place)).put(account, delivery);
};
const listDeliveries = async (place: Place, endpointId?: string) => {
  const filter = endpointId === undefined ? {} : { endpointId };
  const wanted = { limit: 2, before: null, filter };
  const page = await dynamoDeliveryStore(place.client, optionsOf(place)).list(account, wanted);
  return [...page.deliveries.map(({ runId }) => runId), page.lastId !== null];
};
const putExport = (place: Place, n: number) => {
  const id = derivedIdAt("export", new Date(at(n)), n);
  const run = { runId: `run_${n}`, watchlistId: list, runNumber: n, createdAt: at(n) };
  const state = n % 2 === 0 ? "failed" : "pending";
  const { Put } = exportWrite(place.table, account, { ...newExport({ id, ...run }), state });
  return put(place, Put?.Item ?? {});
};
const listExports = async ({ client, table }: Place, state: "failed" | null) => {
  const wanted = { limit: 2, before: null, state };
  const page = await dynamoExportStore(client, table).list(account, wanted);
  return [...page.exports.map(({ runNumber }) => runNumber), page.lastId !== null];
};
/** Stores the row of the nth delivery target, which has pending entries only if `n` is above 2. */
const putTarget = (place: Place, n: number) =>
  put(place, {
    ...deliveryKeys.outbox({ accountId: account, targetId: `we_${n}` }),
    additions: 1,
    ...(n > 2 && { due_at: at(n) }),
  });
const feedOf = (place: Place) => dynamoEventFeed(place.client, optionsOf(place));
const appendRun = (place: Place, n: number) =>
  feedOf(place).append(account, {
    runId: `run_${n}`,
    watchlistId: list,
    webhookEndpointId: null,
    createdAt: at(n),
    types: [event],
  });
const addEntry = (place: Place, n: number) => {
  const entry = { lane: "first", dueAt: at(n), key: `e${n}`, content: n } as const;
  return outboxOf(place).add({ accountId: account, targetId: "we_1" }, [entry]);
};
const putRun = (place: Place, n: number) => {
  const phase = n === 5 ? "reading" : "done";
  const row = { id: `run_${n}`, run_number: n, phase, stats: { steps: [] } };
  return put(place, { ...watchlistKeys.run(list, n), ...row });
};

const historyOf = (place: Place) => dynamoHistoryStore(place.client, optionsOf(place));
const historySpan = { since: at(0), until: at(9) };
/** Records the run `n` of a watchlist, which the call with `n` 1 stores first. */
async function appendHistory(place: Place, n: number): Promise<void> {
  if (n === 1) await putWatchlist({ ...place, clock, random }, aWatchlist({ id: list }), []);
  const values = { price: { before: n, after: n + 1 } };
  const points = [{ id: "i1", at: at(n), step: "check", status: "ok", values }] as const;
  const owner = { accountId: aWatchlist().accountId, watchlistId: list };
  await historyOf(place).append(owner, { runNumber: n, endedAt: at(n), points });
}
const listHistory = async (place: Place, order: HistoryOrder) => {
  const runs = historyOf(place).runs({ watchlistId: list, ...historySpan, order });
  return (await Array.fromAsync(runs)).map(({ runNumber }) => runNumber);
};

const cases: readonly Case[] = [
  {
    file: "shared/aws/history/item-points",
    title: "the points of an item",
    fill: appendHistory,
    read: async (place) =>
      (await historyOf(place).item({ watchlistId: list, itemId: "i1", ...historySpan })).map(
        ({ runNumber }) => runNumber,
      ),
    found: five,
  },
  {
    file: "shared/aws/history/listed-runs",
    title: "the recorded runs, newest first",
    fill: appendHistory,
    read: (place) => listHistory(place, "newest_first"),
    found: [5, 4, 3, 2, 1],
  },
  {
    file: "shared/aws/history/run-rows",
    title: "the recorded runs, oldest first",
    fill: appendHistory,
    read: (place) => listHistory(place, "oldest_first"),
    found: five,
    // Two requests find the first run of the span.
    queries: 3,
  },
  {
    file: "shared/aws/sources/health-store",
    title: "the health of a source",
    fill: ({ client, table }, n) =>
      dynamoHealthStore(client, table).add("retailer_d.standard", {
        ok: n,
        partial: 0,
        notFound: 0,
        unavailable: 0,
        ageMs: 0,
        latencies: [n],
        // A row has the reads of a quarter of an hour.
        lastReadAt: at(n * 900),
      }),
    read: async ({ client, table }) =>
      (await dynamoHealthStore(client, table).since("retailer_d.standard", new Date(at(0)))).map(
        ({ counts }) => counts.ok,
      ),
    found: five,
  },
  {
    file: "shared/aws/accounts/api-key-store",
    title: "the keys of an account",
    fill: ({ client, table }, n) =>
      dynamoAccountStore(client, { accounts: table }).addKey({
        id: `key_${n}`,
        accountId: account,
        name: `server ${n}`,
        prefix: "svc_live",
        hash: String(n).padStart(64, "0"),
        demo: false,
        scopes,
        createdAt: at(n),
      }),
    read: async ({ client, table }) =>
      (await dynamoApiKeyStore(client, table).list(account)).map(({ id }) => id),
    found: ["key_1", "key_2", "key_3", "key_4", "key_5"],
  },
  {
    file: "shared/aws/ledger/entry-streams",
    title: "credit transactions from before the account had shards",
    fill: (place, sequence) =>
      put(
        place,
        ledgerEntryRow({
          accountId: account,
          sequence,
          type: "grant",
          credits: 1,
          balanceBefore: sequence - 1,
          balanceAfter: sequence,
          createdAt: at(sequence),
        }),
      ),
    async read({ client, table }) {
      const history = dynamoCreditHistory(client, {
        accountsTable: table,
        ledgerTable: table,
        clock: systemClock,
        random: systemRandom,
      });
      const page = await history.page(account, { limit: 3 });
      return [...page.transactions.map(({ sequence }) => sequence), page.next];
    },
    found: [5, 4, 3, numberedId("creditTransaction", 3, account)],
  },
  {
    file: "shared/aws/ledger/find-entries",
    title: "marks of purchases",
    fill: (place, sequence) =>
      put(place, {
        ...accountKeys.change(account, `c${sequence}`),
        type: sequence === 3 ? "adjust" : "purchase",
        sequence,
      }),
    async read(place) {
      const filter = { type: "purchase" } as const;
      const search = { accountId: account, rows: undefined, filter };
      return (await findEntries(ledgerProcess(place.client, optionsOf(place)), search)).sequences;
    },
    found: [5, 4, 2, 1],
  },
  {
    file: "shared/aws/ledger/read-pages",
    title: "pages of a journal",
    async fill(place, n) {
      const record = { type: "grant", at: n, credits: 1, changeId: null } as const;
      const shard = { accountId: account, number: 0, concurrency: 5, fence: n, journal: [record] };
      await put(place, newShardRow(shard));
      await put(place, journalPageRow(account, shardOf(newShardRow(shard)), [record]));
    },
    async read({ client, table }) {
      const wanted = { accountId: account, shard: 0, to: 4, order: "newest first" } as const;
      const found: number[] = [];
      for await (const pages of readJournalPages(
        { client, ledgerTable: table },
        { ...wanted, limit: 9 },
      )) {
        found.push(...pages.flatMap(({ records }) => records.map(({ at: stamp }) => stamp)));
      }
      return found;
    },
    found: [4, 3, 2, 1],
  },
  {
    file: "shared/aws/deliveries/delivery-store",
    title: "the deliveries of an account",
    fill: putDelivery,
    read: (place) => listDeliveries(place),
    found: ["run_5", "run_4", true],
  },
  {
    file: "shared/aws/deliveries/delivery-store",
    title: "the deliveries of an endpoint",
    fill: putDelivery,
    read: (place) => listDeliveries(place, "we_even"),
    found: ["run_4", "run_2", false],
  },
  {
    file: "shared/aws/table/due-keys",
    title: "the due rows of a partition key",
    fill: (place, n) => {
      const key = { pk: n === 3 ? "other" : "mine", sk: `row_${n}` };
      return put(place, { ...key, ...dueAt("hold", { ...key, pk: "mine" }, new Date(at(n))) });
    },
    async read({ client, table }) {
      const wanted = { kind: "hold", by: new Date(at(9)), pk: "mine", everywhere: false } as const;
      return (await dueKeysOf(client, table, wanted)).map(({ sk }) => sk);
    },
    found: ["row_1", "row_2", "row_4", "row_5"],
  },
  {
    file: "shared/aws/deliveries/endpoint-store",
    title: "the endpoints of an account",
    fill: (place, n) =>
      dynamoEndpointStore(place.client, optionsOf(place)).create(
        account,
        anEndpoint({
          id: `we_${n}`,
          accountId: account,
          url: `https://hooks.shop-example.com/${n}`,
          createdAt: at(n),
        }),
      ),
    read: async (place) =>
      (await dynamoEndpointStore(place.client, optionsOf(place)).list(account)).map(({ id }) => id),
    found: ["we_1", "we_2", "we_3", "we_4", "we_5"],
  },
  {
    file: "shared/aws/deliveries/event-feed",
    title: "the runs of the feed after a sequence number",
    fill: appendRun,
    read: async (place) => (await feedOf(place).after(account, 1, 3)).map(({ runId }) => runId),
    found: ["run_2", "run_3", "run_4"],
  },
  {
    file: "shared/aws/deliveries/event-feed",
    title: "the runs of the feed between two times",
    fill: appendRun,
    async read(place) {
      const range = { since: at(1), until: at(4), after: null, limit: 100 };
      return (await feedOf(place).between(account, range)).map(({ runId }) => runId);
    },
    found: ["run_1", "run_2", "run_3", "run_4"],
  },
  {
    file: "shared/aws/exports/export-store",
    title: "the exports of an account",
    fill: putExport,
    read: (place) => listExports(place, null),
    found: [5, 4, true],
  },
  {
    file: "shared/aws/exports/export-store",
    title: "the exports in one state",
    fill: putExport,
    read: (place) => listExports(place, "failed"),
    // The page is full before the oldest export is read, so the store reports that more may follow.
    found: [4, 2, true],
  },
  {
    file: "shared/aws/deliveries/outbox-store",
    title: "the pending entries of a target",
    fill: addEntry,
    async read(place) {
      const wanted = { lane: "first", by: new Date(at(4)), limit: 10 } as const;
      const target = { accountId: account, targetId: "we_1" };
      return (await outboxOf(place).entries(target, wanted)).map(({ key }) => key);
    },
    found: ["e1", "e2", "e3", "e4"],
  },
  {
    file: "shared/aws/deliveries/outbox-claim",
    title: "waiting targets after idle targets",
    fill: putTarget,
    read: async (place) =>
      (await outboxOf(place).waiting(account, clock.now())).map(({ targetId }) => targetId),
    found: ["we_3", "we_4", "we_5"],
  },
  {
    file: "shared/aws/watchlists/page-reader",
    title: "the items of a watchlist",
    fill: fillPages,
    read: idsOf,
    found: ["i1", "i2", "i3", "i4", "i5"],
    queries: 3,
  },
  {
    file: "shared/aws/watchlists/cached-stock",
    title: "the versions of the pages of a watchlist",
    async fill(place, n) {
      if (n > 1) return;
      const readings = { standard: { inStock: false } };
      const items = five.map((number) => newItem(`i${number}`, at(0)));
      await pagesOf(place).create(
        list,
        items.map((item) => ({ ...item, state: "active" as const, readings })),
      );
      await pagesOf(place).createDetails(
        list,
        items.map(({ id }) => detailsOf(id, "x")),
      );
    },
    async read(place) {
      const stock = cachedStockStore({ client: place.client, ...optionsOf(place) }, pagesOf(place));
      const labels = async (): Promise<unknown> =>
        (await stock.outOfStock(list)).map(({ item, details }) => [item.id, details?.label]);
      const before = await labels();
      // Only the last page of details changes.
      const change = () => detailsOf("i5", "y");
      await pagesOf({ ...place, client: tables.client }).changeDetails(
        { accountId: account, watchlistId: list },
        { ids: ["i5"], change },
      );
      return [before, await labels()];
    },
    found: [
      five.map((number) => [`i${number}`, "x"]),
      five.map((number) => [`i${number}`, number === 5 ? "y" : "x"]),
    ],
    queries: 20,
  },
  {
    file: "shared/aws/watchlists/details-pages",
    title: "the item pages whose ranges the first pages of details copy",
    fill: fillPages,
    async read(place) {
      await pagesOf(place).createDetails(list, [detailsOf("i1", "x")]);
      const stored = { ...place, client: tables.client };
      const rows = await rowsOf(stored, watchlistKeys.page(list, "").pk);
      return rows.filter((sk) => sk.startsWith("details#"));
    },
    found: ["details#", "details#i2", "details#i3", "details#i4", "details#i5"],
  },
  {
    file: "shared/aws/watchlists/page-store",
    title: "all pages of a watchlist, to remove them,",
    fill: fillPages,
    async read(place) {
      await pagesOf(place).removeAll(list);
      return rowsOf({ ...place, client: tables.client }, watchlistKeys.page(list, "").pk);
    },
    found: [],
    queries: 2,
  },
  {
    file: "shared/aws/deliveries/pending-work",
    title: "targets with entries after targets without entries",
    fill: putTarget,
    read: async ({ client, table }) =>
      (await dynamoPendingWork(client, table).targets(account)).map(({ targetId }) => targetId),
    found: ["we_3", "we_4", "we_5"],
  },
  {
    file: "shared/aws/deliveries/pending-work",
    title: "the newest entries of a target",
    fill: addEntry,
    async read({ client, table }) {
      const span = { since: null, until: null, limit: 3 };
      const target = { accountId: account, targetId: "we_1" };
      const found = await dynamoPendingWork(client, table).newest(target, span);
      return found.map(({ key }) => key);
    },
    found: ["e5", "e4", "e3"],
  },
  {
    file: "shared/aws/watchlists/purge-store",
    title: "runs in progress after finished runs",
    fill: putRun,
    read: (place) => dynamoPurgeStore(place.client, optionsOf(place)).isRunning(list),
    found: true,
  },
  {
    file: "shared/aws/watchlists/purge-store",
    title: "the rows of a purged watchlist and of its runs",
    async fill(place, n) {
      await putRun(place, n);
      await put(place, watchlistKeys.step(`run_${n}`, "a"));
      await put(place, watchlistKeys.step(`run_${n}`, "b"));
    },
    async read(place) {
      const store = dynamoPurgeStore(place.client, optionsOf(place));
      const isRemoved = await store.removeRows(list, () => false);
      const whole = { ...place, client: tables.client };
      const pks = [watchlistKeys.run(list, 0).pk, ...five.map((n) => `run#run_${n}`)];
      const left = await Promise.all(pks.map((pk) => rowsOf(whole, pk)));
      return [isRemoved, ...left.flat()];
    },
    found: [true],
    queries: 9,
  },
  {
    file: "tools/reconcile/readers/rows",
    title: "the rows of a partition",
    fill: (place, n) => put(place, { pk: "pk", sk: `row_${n}` }),
    read: (place) => rowsOf(place, "pk"),
    found: ["row_1", "row_2", "row_3", "row_4", "row_5"],
  },
  {
    file: "shared/aws/runs/run-store",
    title: "the runs of a watchlist",
    fill: putRun,
    async read(place) {
      const page = await dynamoRunStore(place.client, optionsOf(place)).list(list, 3);
      return [...page.runs.map(({ runNumber }) => runNumber), page.hasMore];
    },
    found: [5, 4, 3, true],
  },
  {
    file: "shared/aws/runs/step-store",
    title: "the steps of a run",
    fill: (place, n) =>
      put(place, {
        ...watchlistKeys.step("run_1", `step_${n}`),
        step: `step_${n}`,
        position: 5 - n,
      }),
    read: async (place) =>
      (await dynamoStepStore(place.client, optionsOf(place)).list("run_1")).map(({ step }) => step),
    found: ["step_5", "step_4", "step_3", "step_2", "step_1"],
  },
  {
    file: "shared/aws/deliveries/target-states",
    title: "the states of an account's targets",
    fill: (place, n) =>
      put(place, {
        ...deliveryKeys.outbox({ accountId: account, targetId: `we_${n}` }),
        target_state: n,
      }),
    read: async ({ client, table }) => [
      ...(await dynamoTargetStates(client, table).list(account)).values(),
    ],
    found: [1, 2, 3, 4, 5],
  },
  {
    file: "shared/aws/accounts/usage-store",
    title: "the days of usage of an account",
    fill: (place, n) => put(place, accountKeys.usage(account, `2026-03-0${n}`)),
    async read({ client, table }) {
      const range = { from: "2026-03-02", to: "2026-03-05" };
      return (
        await dynamoUsageStore(client, {
          accountsTable: table,
          clock: systemClock,
          random: systemRandom,
        }).daily(account, range)
      ).map(({ date }) => date);
    },
    found: ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"],
  },
  {
    file: "shared/aws/watchlists/watchlist-store",
    title: "the watchlists of an account",
    fill: (place, n) =>
      putWatchlist(
        { ...place, clock, random },
        aWatchlist({ id: `wl_${n}`, accountId: account }),
        [],
      ),
    async read(place) {
      const store = dynamoWatchlistStore(place.client, optionsOf(place));
      const page = await store.list(account, 3);
      return [...page.watchlists.map(({ id }) => id), page.hasMore];
    },
    found: ["wl_5", "wl_4", "wl_3", true],
  },
];

/** Returns a client whose queries end each response after one examined row, as DynamoDB may do. */
const cutShort = (client: DynamoDBDocumentClient) =>
  watchedClient(client, (command, send) =>
    command instanceof QueryCommand
      ? client.send(new QueryCommand({ ...command.input, Limit: 1 }))
      : send(),
  );

describe.each(cases)("the query for $title in $file", ({ fill, read, found, queries = 1 }) => {
  const filled = async (): Promise<Place> => {
    const place = { client: tables.client, table: await tables.create() };
    for (const n of five) await fill(place, n);
    return place;
  };

  it("finds all rows in order if DynamoDB ends every response early", async () => {
    const place = await filled();
    expect(await read({ ...place, client: cutShort(tables.client) })).toEqual(found);
  });

  it("sends no unnecessary request if DynamoDB ends no response early", async () => {
    const place = await filled();
    let sent = 0;
    const client = watchedClient(tables.client, (command, send) => {
      if (command instanceof QueryCommand) sent += 1;
      return send();
    });
    expect(await read({ ...place, client })).toEqual(found);
    expect(sent).toBe(queries);
  });
});

describe("firstRows, which limits the number of rows of a query,", () => {
  const query = (table: string) => ({
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": "pk" },
  });

  it.each([
    { count: 3, found: ["row_1", "row_2", "row_3"] },
    { count: 5, found: ["row_1", "row_2", "row_3", "row_4", "row_5"] },
    { count: 9, found: ["row_1", "row_2", "row_3", "row_4", "row_5"] },
  ])("returns the first $count rows, or all rows if there are fewer", async ({ count, found }) => {
    const place = { client: tables.client, table: await tables.create() };
    for (const n of five) await put(place, { pk: "pk", sk: `row_${n}` });

    for (const client of [tables.client, cutShort(tables.client)]) {
      const rows = await firstRows(client, query(place.table), count);
      expect(rows.map((row) => row["sk"])).toEqual(found);
    }
  });

  it("continues after query responses without a row", async () => {
    const place = { client: tables.client, table: await tables.create() };
    for (const n of five) await put(place, { pk: "pk", sk: `row_${n}`, n });

    const rows = await firstRows(
      cutShort(tables.client),
      {
        ...query(place.table),
        FilterExpression: "n > :n",
        ExpressionAttributeValues: { ":pk": "pk", ":n": 3 },
      },
      1,
    );
    expect(rows.map((row) => row["sk"])).toEqual(["row_4"]);
  });
});

describe("queries of DynamoDB", () => {
  const root = new URL("../../../../", import.meta.url);
  const filesWith = (text: string): string[] =>
    globSync("{shared/aws,tools/reconcile}/**/*.ts", { cwd: root })
      .filter((name) => readFileSync(new URL(name, root), "utf8").includes(text))
      .map((name) => name.replace(/\.ts$/, ""))
      .toSorted();

  it("are sent only by query-rows.ts and by the reader of watchlist pages", () => {
    expect(filesWith("new QueryCommand(")).toEqual([
      "shared/aws/table/query-rows",
      "shared/aws/watchlists/page-reader",
    ]);
  });

  it("are each tested with responses that DynamoDB ends early", () => {
    const tried = [...new Set(cases.map(({ file }) => file))];
    expect(filesWith('/query-rows.ts"').toSorted()).toEqual(tried.toSorted());
  });
});
