import { beforeEach, describe, expect, it } from "vitest";
import { type Metrics, newMetrics } from "../../../shared/observability/metrics.ts";
import { attemptCounts } from "../../../shared/outbox/attempt-counts.ts";
import { drain, type DrainDependencies, type Session } from "../../../shared/outbox/drain.ts";
import {
  entryName,
  type OutboxChanges,
  type OutboxEntry,
  type OutboxStore,
  type DeliveryTarget,
} from "../../../shared/outbox/outbox.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";

const target: DeliveryTarget = { accountId: "acct_1", targetId: "we_1" };
const startedAt = "2026-11-20T10:00:00.000Z";
const entry = (key: string, wanted: Partial<OutboxEntry> = {}): OutboxEntry => ({
  lane: "first",
  dueAt: startedAt,
  key,
  content: null,
  ...wanted,
});

let clock: ReturnType<typeof fixedClock>;
let entries: OutboxEntry[];
let kept: OutboxChanges<string>[];
let messages: { delay: number; targets?: readonly DeliveryTarget[] }[];
let leased: boolean;
let additions: number;
let reads: number;
let recorded: number;
let isAdmitted: boolean;
let claimedEntries: readonly OutboxEntry[] | null;
let waiting: DeliveryTarget[];
let session: Session<string>;
let dependencies: DrainDependencies<string>;

beforeEach(() => {
  clock = fixedClock(startedAt);
  [entries, kept, messages, leased, additions, waiting] = [[], [], [], true, 1, []];
  [reads, recorded, isAdmitted, claimedEntries] = [0, 0, true, null];
  session = {
    target: () => Promise.resolve({ hasEnded: false, parallel: 1 }),
    work: (worked, slice) => slice.record({ removed: worked, records: [worked.key] }),
    close: () => undefined,
  };
  dependencies = {
    outbox: listOutbox(),
    open: () => Promise.resolve(session),
    queue: {
      send: async (targets, delay) => {
        messages.push(targets[0] === target ? { delay } : { delay, targets });
      },
    },
    clock,
    random: countingRandom(),
  };
});

const byName = (one: OutboxEntry, other: OutboxEntry): number =>
  entryName(one) < entryName(other) ? -1 : 1;

function store(changes: OutboxChanges<string>): void {
  kept.push(changes);
  entries = [...entries.filter((found) => !changes.removed.includes(found)), ...changes.added];
}

/** Returns an in-memory outbox. The real store has separate tests. */
const listOutbox = (): OutboxStore<string> => ({
  add: () => Promise.reject(new Error("no test adds entries")),
  wake: () => Promise.reject(new Error("no test sends wake-up messages")),
  claim: (_, { now }) =>
    Promise.resolve(
      leased ? { additions, entries: claimedEntries, state: undefined, due: now } : null,
    ),
  admit: () => Promise.resolve(isAdmitted ? { crowded: waiting.length > 0 } : null),
  waiting: () => Promise.resolve(waiting),
  all: (_, limit) => {
    reads += 1;
    return Promise.resolve(entries.toSorted(byName).slice(0, limit));
  },
  entries: (_, { lane, by, limit }) => {
    reads += 1;
    return Promise.resolve(
      entries
        .filter((found) => found.lane === lane && (by === null || new Date(found.dueAt) <= by))
        .slice(0, limit),
    );
  },
  record: async (_, { changes }) => {
    if (!leased) return false;
    recorded += 1;
    store(changes);
    return true;
  },
  release: async (_, held, last) => {
    if (!leased) return { outcome: "lost" };
    if (held.additions !== additions) return { outcome: "more", additions };
    if (last !== undefined) store(last.changes);
    // The entries that the drain has in memory must be those in the outbox.
    if (held.remaining !== null) {
      expect(held.remaining.toSorted(byName)).toEqual(entries.toSorted(byName));
    }
    const next = entries.map(({ dueAt }) => dueAt).sort()[0];
    return { outcome: "released", next: next === undefined ? null : new Date(next) };
  },
});

const worked = () => kept.flatMap(({ records }) => records);

describe("drain, which processes the entries of an outbox,", () => {
  it("calls the function 'begins' for each entry before processing it, even if the processing fails", async () => {
    entries = [entry("a"), entry("b")];
    const steps: string[] = [];
    const usual = session;
    session = {
      ...usual,
      work(one, slice) {
        steps.push(`works on ${one.key}`);
        return one.key === "a" ? Promise.reject(new Error("no store")) : usual.work(one, slice);
      },
    };
    const begins = ({ key }: OutboxEntry): void => void steps.push(key);

    await expect(drain(target, { ...dependencies, begins })).rejects.toThrow("no store");
    expect(steps).toEqual(["a", "works on a", "b", "works on b"]);
  });

  it("reports the metrics of delivery attempts, even if the processing fails", async () => {
    entries = [entry("a")];
    const attempts = attemptCounts();
    session = {
      ...session,
      attempts,
      work() {
        attempts.note({ succeeded: false });
        return Promise.reject(new Error("no store"));
      },
    };
    const reported: Metrics[] = [];
    const report = (more: readonly Metrics[]): void => void reported.push(...more);

    await expect(drain(target, { ...dependencies, report })).rejects.toThrow("no store");
    expect(reported).toEqual([
      newMetrics("receivers", {}, { receivers_tried: 1, receivers_failing: 1 }),
    ]);
  });

  it("processes all due entries with few transactions and no wake-up message", async () => {
    entries = Array.from({ length: 60 }, (_, n) => entry(`e${String(n).padStart(2, "0")}`));
    await drain(target, dependencies);

    expect(worked()).toHaveLength(60);
    expect(new Set(worked()).size).toBe(60);
    expect(kept.length).toBeLessThanOrEqual(5);
    expect(Math.max(...kept.map(({ records }) => records.length))).toBeLessThanOrEqual(25);
    expect(messages).toEqual([]);
  });

  it("processes no entry if another process holds the lease", async () => {
    entries = [entry("a")];
    leased = false;
    await drain(target, dependencies);

    expect(kept).toEqual([]);
    expect(messages).toEqual([]);
  });

  it("postpones entries that are not due, and sends a wake-up message with this delay if SQS allows it", async () => {
    entries = [
      entry("soon", { lane: "later", dueAt: "2026-11-20T10:14:59.100Z" }),
      entry("now", { lane: "later" }),
    ];
    await drain(target, dependencies);
    expect(worked()).toEqual(["now"]);
    expect(messages).toEqual([{ delay: 900 }]);

    messages = [];
    entries = [entry("late", { lane: "later", dueAt: "2026-11-20T10:15:00.001Z" })];
    await drain(target, dependencies);
    expect(messages).toEqual([]);
  });

  it("processes all entries, even those not yet due, if the target is deleted or disabled", async () => {
    session = { ...session, target: () => Promise.resolve({ hasEnded: true, parallel: 1 }) };
    entries = [entry("tomorrow", { lane: "later", dueAt: "2026-11-21T10:00:00.000Z" })];
    await drain(target, dependencies);

    expect(worked()).toEqual(["tomorrow"]);
  });

  it("sends a wake-up message immediately if entries of a deleted or disabled target remain at the end of the time slice", async () => {
    let ends = false;
    const usual = session;
    session = {
      ...usual,
      target: () => Promise.resolve({ hasEnded: ends, parallel: 1 }),
      async work(found, slice) {
        clock.advance(30_000);
        ends = true;
        return usual.work(found, slice);
      },
    };
    entries = [
      entry("now"),
      entry("tomorrow", { lane: "later", dueAt: "2026-11-21T10:00:00.000Z" }),
    ];
    await drain(target, dependencies);

    expect(worked()).toEqual(["now"]);
    expect(messages).toEqual([{ delay: 0 }]);
  });

  it("stops processing entries that are not due if the target is enabled again during the drain", async () => {
    let asked = 0;
    session = {
      ...session,
      target: () => {
        asked += 1;
        return Promise.resolve({ hasEnded: asked === 1, parallel: 1 });
      },
      work: (found, slice) =>
        slice.record({
          removed: found,
          records: [found.key],
          added: [entry("again", { lane: "later", dueAt: "2026-11-20T10:05:00.000Z" })],
        }),
    };
    entries = [entry("a")];
    await drain(target, dependencies);

    expect(worked()).toEqual(["a"]);
    expect(messages).toEqual([{ delay: 300 }]);
  });

  it("processes old entries and new entries alternately", async () => {
    entries = ["a", "b", "c"].flatMap((name) => [
      entry(`new-${name}`),
      entry(`old-${name}`, { lane: "later" }),
    ]);
    await drain(target, dependencies);

    expect(worked()).toEqual(["new-a", "old-a", "new-b", "old-b", "new-c", "old-c"]);
  });

  it("never processes two entries with the same key in parallel", async () => {
    const busy = new Set<string>();
    session = {
      ...session,
      target: () => Promise.resolve({ hasEnded: false, parallel: 4 }),
      async work(found, slice) {
        expect(busy.has(found.key)).toBe(false);
        busy.add(found.key);
        await new Promise((resolve) => setTimeout(resolve, 1));
        busy.delete(found.key);
        await slice.record({ removed: found, records: [found.key] });
      },
    };
    entries = ["09:57", "09:58", "09:59"].flatMap((time) =>
      ["a", "b"].map((key) => entry(key, { lane: "later", dueAt: `2026-11-20T${time}:00.000Z` })),
    );
    await drain(target, dependencies);

    expect(worked().sort()).toEqual(["a", "a", "a", "b", "b", "b"]);
  });

  it("stops after half a minute and sends a wake-up message for the remaining entries", async () => {
    session = {
      ...session,
      work: async (found, slice) => {
        clock.advance(12_000);
        await slice.record({ removed: found, records: [found.key] });
      },
    };
    entries = ["a", "b", "c", "d", "e"].map((key) => entry(key));
    await drain(target, dependencies);

    expect(worked()).toEqual(["a", "b", "c"]);
    expect(messages).toEqual([{ delay: 0 }]);
  });

  it("processes entries that are added during the drain", async () => {
    entries = [entry("a")];
    session = {
      ...session,
      work: async (found, slice) => {
        if (found.key === "a") {
          entries.push(entry("b"));
          additions += 1;
        }
        await slice.record({ removed: found, records: [found.key] });
      },
    };
    await drain(target, dependencies);

    expect(worked()).toEqual(["a", "b"]);
  });

  it("processes all other entries if one entry fails, releases the target, and then throws the error", async () => {
    entries = ["a", "b", "c"].map((key) => entry(key));
    session = {
      ...session,
      work: (found, slice) =>
        found.key === "a"
          ? Promise.reject(new Error("no bucket"))
          : slice.record({ removed: found, records: [found.key] }),
    };
    await expect(drain(target, dependencies)).rejects.toThrow("no bucket");

    expect(worked()).toEqual(["b", "c"]);
    expect(messages).toEqual([]);
  });

  it("stops and throws an error if its changes cannot be stored", async () => {
    const { outbox } = dependencies;
    dependencies = {
      ...dependencies,
      outbox: { ...outbox, record: () => Promise.reject(new Error("no table")) },
    };
    entries = ["a", "b", "c", "d"].map((key) => entry(key));
    const begun: string[] = [];
    session = {
      ...session,
      work: async (found, slice) => {
        begun.push(found.key);
        clock.advance(1_000);
        await slice.record({ removed: found });
      },
    };
    await expect(drain(target, dependencies)).rejects.toThrow("no table");

    expect(begun.length).toBeLessThanOrEqual(2);
  });

  it("sends wake-up messages for the other waiting targets of the account, but not for its own target", async () => {
    const other = { ...target, targetId: "we_2" };
    waiting = [target, other];
    entries = [entry("a")];
    await drain(target, dependencies);

    expect(messages).toEqual([{ delay: 0, targets: [other] }]);
  });

  it("stops without an error if another process has taken over the lease", async () => {
    entries = ["a", "b", "c"].map((key) => entry(key));
    let closed = 0;
    session = {
      ...session,
      work: (found, slice) => {
        leased = false;
        clock.advance(1_000);
        return slice.record({ removed: found, records: [found.key] });
      },
      close: () => {
        closed += 1;
      },
    };
    await drain(target, dependencies);

    expect(kept).toEqual([]);
    expect(messages).toEqual([]);
    expect(closed).toBe(1);
  });

  it("reads a small outbox once, even if a processed entry adds another due entry", async () => {
    entries = [entry("a"), entry("b", { lane: "later", dueAt: "2026-11-20T10:05:00.000Z" })];
    session = {
      ...session,
      work: (found, slice) =>
        slice.record({
          removed: found,
          records: [found.key],
          ...(found.key === "a" && { added: [entry("c", { lane: "later" })] }),
        }),
    };
    await drain(target, dependencies);

    expect(worked()).toEqual(["a", "c"]);
    expect(messages).toEqual([{ delay: 300 }]);
    expect(reads).toBe(1);
  });

  it("stores the last changes with the release of the lease", async () => {
    entries = [entry("a"), entry("b", { lane: "later", dueAt: "2026-11-20T10:05:00.000Z" })];
    await drain(target, dependencies);

    expect(worked()).toEqual(["a"]);
    expect(recorded).toBe(0);
    expect(messages).toEqual([{ delay: 300 }]);
  });

  it("stores its changes before it processes entries that other processes added before the release of the lease", async () => {
    entries = [entry("a")];
    session = {
      ...session,
      async work(found, slice) {
        await slice.record({ removed: found, records: [found.key] });
        if (found.key !== "a") return;
        entries.push(entry("b"));
        additions += 1;
      },
    };
    await drain(target, dependencies);

    expect(worked()).toEqual(["a", "b"]);
    expect(recorded).toBe(1);
  });

  it("reads no entries if the claim returns all entries", async () => {
    entries = [entry("a")];
    claimedEntries = [...entries];
    await drain(target, dependencies);

    expect(worked()).toEqual(["a"]);
    expect(reads).toBe(0);
  });

  it("lets the session begin the reads for the due entries before the drain reads the target", async () => {
    const steps: string[] = [];
    const usual = session;
    session = {
      ...usual,
      prepare: (due) => void steps.push(...due.map(({ key }) => `prepares ${key}`)),
      target() {
        steps.push("reads the target");
        return usual.target();
      },
    };
    entries = [
      entry("a"),
      entry("b"),
      entry("c", { lane: "later", dueAt: "2026-11-20T10:05:00.000Z" }),
    ];
    await drain(target, dependencies);

    expect(steps.slice(0, 3)).toEqual(["prepares a", "prepares b", "reads the target"]);
  });

  it("reads each lane of a large outbox a few times, and not once per entry, even if it processes many entries in parallel", async () => {
    entries = Array.from({ length: 100 }, (_, n) => entry(`e${String(n).padStart(3, "0")}`));
    session = { ...session, target: () => Promise.resolve({ hasEnded: false, parallel: 10 }) };
    await drain(target, dependencies);

    expect(worked()).toHaveLength(100);
    // The first read shows that the outbox is large. The sets have 25, 60, 15 and 0 entries.
    expect(reads).toBe(1 + 4 * 2);
  });

  it("processes nothing and closes the session if the account is at its limit", async () => {
    entries = [entry("a")];
    isAdmitted = false;
    let closed = 0;
    session = { ...session, close: () => void (closed += 1) };
    await drain(target, dependencies);

    expect(kept).toEqual([]);
    expect(messages).toEqual([]);
    expect(closed).toBe(1);
  });

  it("reads the target once if the outbox is empty after the first entries", async () => {
    let targetReads = 0;
    const usual = session;
    session = {
      ...usual,
      target() {
        targetReads += 1;
        return usual.target();
      },
    };
    entries = [entry("a"), entry("b")];
    await drain(target, dependencies);

    expect(worked()).toEqual(["a", "b"]);
    expect(targetReads).toBe(1);
  });

  it("stores its changes at least once a second", async () => {
    const known: number[] = [];
    session = {
      ...session,
      work: async (found, slice) => {
        clock.advance(600);
        await slice.record({ removed: found, records: [found.key] });
        known.push(worked().length);
      },
    };
    entries = ["a", "b", "c", "d"].map((key) => entry(key));
    await drain(target, dependencies);

    expect(known).toEqual([0, 2, 2, 4]);
  });
});
