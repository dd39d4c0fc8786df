import { setImmediate as breath } from "node:timers/promises";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { changeItems, type ItemTally } from "../../../../shared/watchlists/change-items.ts";
import { type Item, newItem } from "../../../../shared/watchlists/item.ts";
import type { ItemChange } from "../../../../shared/watchlists/items-request.ts";
import { compareIds } from "../../../../shared/watchlists/id-order.ts";
import { countByState } from "../../../../shared/watchlists/item-counts.ts";
import { maxChangedAt, mergeItems } from "../../../../shared/watchlists/page.ts";
import type { WatchlistRef, PageStore } from "../../../../shared/watchlists/page-store.ts";
import { readItems } from "../../../../shared/watchlists/read-items.ts";
import { rewriteItems } from "../../../../shared/watchlists/rewrite-items.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { random, clock, itemsOf, type PageWorld, startPageWorld } from "./page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

/** PAGE_RUNS sets the number of cases. Use more after a change of the page store. */
const numRuns = Number(process.env["PAGE_RUNS"] ?? 5);

const pool = Array.from({ length: 40 }, (_, n) => String(100 + n));
const someIds = (max: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...pool), { maxLength: max }).map((ids) => ids.sort(compareIds));

type Operation =
  | { readonly kind: "change"; readonly add: string[]; readonly remove: string[] }
  | {
      readonly kind: "step";
      readonly ids: string[];
      /** True to pass only the changed items of a page to the store. */
      readonly isPartial: boolean;
      /** True to keep the states of the items, and therefore the counts of the pages. */
      readonly keepsStates: boolean;
    };

const oftenTrue = fc.constantFrom(true, true, true, false);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      add: someIds(25),
      remove: someIds(25),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("step" as const),
      ids: someIds(20),
      isPartial: oftenTrue,
      keepsStates: oftenTrue,
    }),
  },
);

/** The fault of a request: a conflict, or a lost response that makes the SDK repeat the request. */
type Fault = "none" | "answer_lost" | "conflict";
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fault>("none") },
  { weight: 1, arbitrary: fc.constantFrom<Fault>("answer_lost", "conflict") },
);

const bounds = fc.record({
  itemsMax: fc.integer({ min: 1, max: 12 }),
  bytesMax: fc.constantFrom(110, 10_000),
  mergeItemsMax: fc.integer({ min: 0, max: 3 }),
  secondRowShareMax: fc.constantFrom(0.5, 10),
  secondRowBytesMin: fc.constantFrom(0, 800),
});

interface Step {
  /** Makes the values of each step different. */
  readonly by: number;
  readonly keepsStates: boolean;
}

/**
 * Returns the item after a step has read it. If the step does not keep the states, a new item
 * becomes active, and any other item is delisted.
 */
const stepped = (item: Item, { by, keepsStates }: Step): Item => {
  const readings = { standard: { price: by } };
  const read = { ...item, readings, revision: item.revision + 1 };
  const at = new Date(by).toISOString();
  if (keepsStates) return { ...read, lastChange: { ...someChange, changedAt: at } };
  if (item.state === "new") return { ...read, state: "active" };
  return { ...read, state: "delisted", delistedAt: at };
};

const someChange = {
  runId: "wlrun_1",
  runNumber: 1,
  step: "check",
  scraper: "retailer_b.standard",
  changes: {},
} as const;

/** The watchlist as a plain map, which the pages must equal after every write. */
class Model {
  readonly items: Map<string, Item>;
  /** The IDs that each read in progress must find: one set for each read. */
  readonly watched = new Set<Set<string>>();

  constructor(items: readonly Item[]) {
    this.items = new Map(items.map((item) => [item.id, item]));
  }

  watch(after = ""): Set<string> {
    const there = new Set([...this.items.keys()].filter((id) => id > after));
    this.watched.add(there);
    return there;
  }

  change({ add, remove }: Pick<ItemChange, "add" | "remove">, addedAt: string): ItemTally {
    const tally = { added: 0, reactivated: 0, updated: 0, unchanged: 0, removed: 0, missing: 0 };
    for (const id of new Set([...remove, ...add])) {
      const before = this.items.get(id);
      if (remove.includes(id)) tally[this.items.delete(id) ? "removed" : "missing"] += 1;
      if (!add.includes(id)) continue;
      const there = this.items.get(id);
      const isKept = there !== undefined && there.state !== "delisted";
      tally[isKept ? "unchanged" : there === undefined ? "added" : "reactivated"] += 1;
      const revision = before?.revision ?? 0;
      if (!isKept) this.items.set(id, { ...newItem(id, addedAt), revision });
    }
    this.#note();
    return tally;
  }

  step(ids: readonly string[], step: Step): void {
    for (const id of ids) {
      const item = this.items.get(id);
      if (item !== undefined) this.items.set(id, stepped(item, step));
    }
  }

  sorted(): Item[] {
    return [...this.items.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  #note(): void {
    for (const watched of this.watched) {
      for (const id of watched) if (!this.items.has(id)) watched.delete(id);
    }
  }
}

/**
 * Runs the work when the scheduler selects it. The caller continues before the scheduler selects
 * other work.
 */
function inTurn<T>(scheduler: fc.Scheduler, run: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const work = async (): Promise<void> => {
      await run().then(resolve, reject);
      await breath();
    };
    // oxlint-disable-next-line unicorn/no-thenable -- the scheduler must start the work
    const turn: PromiseLike<void> = { then: (done, failed) => work().then(done, failed) };
    void scheduler.schedule(turn as Promise<void>);
  });
}

const conflict = (writes: number): Error =>
  new TransactionCanceledException({
    message: "conflict",
    $metadata: {},
    CancellationReasons: Array.from({ length: writes }, () => ({ Code: "TransactionConflict" })),
  });

/**
 * Returns a client whose requests the scheduler runs one at a time, with planned faults. Calls
 * `wrote` after each write.
 */
function processOf(
  scheduler: fc.Scheduler,
  plan: readonly Fault[],
  wrote: () => void,
): DynamoDBDocumentClient {
  const pending = [...plan];
  return watchedClient(world.client, async (command, send) => {
    const isWrite = command instanceof TransactWriteCommand || command instanceof PutCommand;
    if (!isWrite) return inTurn(scheduler, send);
    const next = pending.shift() ?? "none";
    if (next === "conflict" && command instanceof TransactWriteCommand) {
      throw conflict(command.input.TransactItems?.length ?? 0);
    }
    const sendAndRecord = async (): Promise<unknown> => {
      const answer = await send();
      wrote();
      return answer;
    };
    if (next !== "answer_lost") return inTurn(scheduler, sendAndRecord);
    await inTurn(scheduler, sendAndRecord);
    return inTurn(scheduler, send);
  });
}

/**
 * Wraps a store. `current` returns those of `ids` that are in the range of the page that was read
 * last. The next write changes this page.
 */
function following(store: PageStore, ids: readonly string[]) {
  let current: readonly string[] = [];
  const pages: PageStore = {
    ...store,
    async *pages(watchlistId, range = {}) {
      for await (const page of store.pages(watchlistId, range)) {
        const { from = "" } = range;
        current = ids.filter((id) => id >= from && (page.upper === null || id < page.upper));
        yield page;
      }
    },
  };
  return { pages, current: () => new Set(current) };
}

interface Played {
  readonly list: WatchlistRef;
  readonly model: Model;
  readonly scheduler: fc.Scheduler;
  readonly limits: {
    itemsMax: number;
    bytesMax: number;
    mergeItemsMax: number;
    secondRowShareMax: number;
    secondRowBytesMin: number;
  };
}

/** An operation of one process. */
interface Planned {
  readonly wanted: Operation;
  readonly faults: readonly Fault[];
  /** True if the process writes second rows of pages. */
  readonly writesSecondRows: boolean;
}

async function play(
  { wanted, faults, writesSecondRows }: Planned,
  number: number,
  { list, model, scheduler, limits }: Played,
): Promise<void> {
  let wrote = (): void => {};
  const client = processOf(scheduler, faults, () => {
    wrote();
  });
  const store = world.store(client, { ...limits, writesSecondRows });
  if (wanted.kind === "step") {
    const step = { by: number, keepsStates: wanted.keepsStates };
    let current: readonly string[] = [];
    wrote = () => {
      model.step(current, step);
    };
    await rewriteItems(
      {
        watchlist: list,
        ids: wanted.ids,
        change(items, ids) {
          current = ids;
          const owned = items.filter((item) => ids.includes(item.id));
          if (owned.length === 0) return { kind: "unchanged", note: null };
          const changed = owned.map((item) => stepped(item, step));
          return wanted.isPartial
            ? { kind: "changed", items: changed, note: null }
            : { kind: "replaced", items: mergeItems(items, changed), note: null };
        },
      },
      { pages: store, clock, random },
    );
    return;
  }
  const ids = [...new Set([...wanted.add, ...wanted.remove])].sort(compareIds);
  const { pages, current } = following(store, ids);
  const tallied = { added: 0, reactivated: 0, removed: 0 };
  const now = new Date(Date.UTC(2026, 2, 1) + number);
  wrote = () => {
    const about = current();
    const tally = model.change(
      {
        add: wanted.add.filter((id) => about.has(id)),
        remove: wanted.remove.filter((id) => about.has(id)),
      },
      now.toISOString(),
    );
    tallied.added += tally.added;
    tallied.reactivated += tally.reactivated;
    tallied.removed += tally.removed;
  };
  const watchlist = await world.watchlist(list);
  if (watchlist === undefined) throw new Error("The watchlist does not exist");
  const watchlists = { get: () => world.watchlist(list) };
  const { tally } = await changeItems(
    { watchlist, change: { ...wanted, labels: new Map() }, now },
    { watchlists, pages, clock, random },
  );
  expect(tally).toMatchObject(tallied);
  expect(tally.added + tally.reactivated + tally.unchanged).toBe(wanted.add.length);
  expect(tally.removed + tally.missing).toBe(wanted.remove.length);
}

/**
 * Reads the watchlist repeatedly, from its start and from its middle, until all operations have
 * ended.
 */
async function readDuring(
  {
    isOver,
    writesSecondRows,
  }: { readonly isOver: () => boolean; readonly writesSecondRows: boolean },
  { list, model, scheduler, limits }: Played,
): Promise<void> {
  const client = processOf(scheduler, [], () => {});
  const store = world.store(client, { ...limits, writesSecondRows });
  for (let after: string | undefined; !isOver(); after = after === undefined ? "115" : undefined) {
    const expected = model.watch(after);
    const revisions = new Map([...model.items].map(([id, { revision }]) => [id, revision]));
    const seen: string[] = [];
    for await (const { id, revision } of readItems(store, list.watchlistId, { after })) {
      seen.push(id);
      // The read returns the changes that ended before it began.
      if (expected.has(id)) expect(revision).toBeGreaterThanOrEqual(revisions.get(id) ?? 0);
    }
    expect(seen).toEqual([...new Set(seen)].sort(compareIds));
    expect(seen.filter((id) => expected.has(id))).toEqual([...expected].sort(compareIds));
    model.watched.delete(expected);
  }
}

/** Writes each page once, with a second row. */
async function addSecondRows(list: WatchlistRef, limits: Played["limits"]): Promise<void> {
  const store = world.store(world.client, { ...limits, writesSecondRows: true });
  for await (const page of store.pages(list.watchlistId)) {
    await store.replaceItems(list, page, []);
  }
}

async function expectSoundPages({ list, model, limits }: Played): Promise<void> {
  const rows = await world.rows(list);
  expect(rows.flatMap((row) => row.items)).toEqual(model.sorted());
  expect(rows[0]?.lowest).toBe("");
  expect(await world.counters(list)).toEqual({
    counts: countByState(model.sorted()),
    total: model.items.size,
  });
  for (const [n, row] of rows.entries()) {
    expect(row.upper).toBe(rows[n + 1]?.lowest ?? null);
    expect(row.items.length).toBeLessThanOrEqual(limits.itemsMax);
    if (row.items.length > 1) expect(row.bytes).toBeLessThanOrEqual(limits.bytesMax);
    expect(row.counts).toEqual(countByState(row.items));
    expect(row.changedAt).toBe(maxChangedAt(row.items));
    for (const { id } of row.items) {
      expect(id >= row.lowest && (row.upper === null || id < row.upper)).toBe(true);
    }
  }
}

it("the stored pages of a watchlist equal a plain map of its items after any interleaving of operations", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.record({
        limits: bounds,
        ids: someIds(30),
        operations: fc.array(
          fc.record({
            wanted: operation,
            faults: fc.array(fault, { maxLength: 8 }),
            writesSecondRows: oftenTrue,
          }),
          { minLength: 1, maxLength: 8 },
        ),
        width: fc.integer({ min: 1, max: 4 }),
      }),
      async (scheduler, { limits, ids, operations, width }) => {
        const list = await world.open(itemsOf(ids), limits);
        await addSecondRows(list, limits);
        const played = { list, model: new Model(itemsOf(ids)), scheduler, limits };
        // The sequences run in parallel. The operations of one sequence run one after another, in
        // the order drawn.
        const sequences = Array.from({ length: width }, async (_, sequence) => {
          for (const [n, planned] of operations.entries()) {
            if (n % width === sequence) await play(planned, n + 1, played);
          }
        });
        let isOver = false;
        const readers = [true, false].map((writesSecondRows) =>
          readDuring({ isOver: () => isOver, writesSecondRows }, played),
        );
        const writers = Promise.all(sequences).finally(() => {
          isOver = true;
        });
        await scheduler.waitFor(Promise.all([writers, ...readers]));
        await expectSoundPages(played);
      },
    ),
    { numRuns },
  );
});
