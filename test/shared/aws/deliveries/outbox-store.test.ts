import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoDueTargets } from "../../../../shared/aws/deliveries/due-targets.ts";
import {
  dynamoOutboxStore,
  type DynamoOutboxOptions,
} from "../../../../shared/aws/deliveries/outbox-store.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import { newLease, targetsAtOnceMax } from "../../../../shared/outbox/lease.ts";
import type { OutboxEntry, OutboxStore, DeliveryTarget } from "../../../../shared/outbox/outbox.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

interface LogRecord {
  readonly id: string;
  readonly text: string;
}

const target: DeliveryTarget = { accountId: "acct_1", targetId: "we_1" };
const startedAt = "2026-11-20T10:00:00.000Z";
const later = "2026-11-20T10:05:00.000Z";
const always = new Date("2030-01-01T00:00:00Z");
const random = countingRandom();

const tables = openTables();
let tableName: string;
let clock: ReturnType<typeof fixedClock>;
let store: OutboxStore<LogRecord>;
beforeEach(async () => {
  tableName = await tables.create();
  clock = fixedClock(startedAt);
  store = dynamoOutboxStore<LogRecord>(tables.client, storeOptions());
});

const storeOptions = (): DynamoOutboxOptions<LogRecord> => ({
  tableName,
  clock,
  random,
  recordWrite: (accountId, { id, text }) => ({
    Put: { TableName: tableName, Item: { pk: `${accountId}#log`, sk: id, text } },
  }),
});

const entry = (key: string, wanted: Partial<OutboxEntry> = {}): OutboxEntry => ({
  lane: "first",
  dueAt: startedAt,
  key,
  content: { about: key },
  ...wanted,
});
const claim = async (of: DeliveryTarget = target, by = store) => {
  const lease = newLease(clock.now(), random);
  const claimed = await by.claim(of, { lease, now: clock.now() });
  return claimed === null ? null : { lease, token: lease.token, ...claimed };
};
/**
 * Claims a target and checks the limit of the account, as a drain does. Returns null if the claim
 * or the check refuses the target.
 */
const admitted = async (of: DeliveryTarget) => {
  const claimed = await claim(of);
  if (claimed === null) return null;
  const { lease, due } = claimed;
  const admission = await store.admit(of, { lease, now: clock.now(), due });
  return admission === null ? null : { ...claimed, ...admission };
};
/** Stores the number of webhook endpoints of an account. */
const putEndpointCount = (endpoints: number) =>
  tables.client.send(
    new PutCommand({
      TableName: tableName,
      Item: { ...deliveryKeys.endpointCount(target.accountId), endpoints },
    }),
  );
/** Reads the row of the delivery target. */
const head = async () => {
  const Key = deliveryKeys.outbox(target);
  return (await tables.client.send(new GetCommand({ TableName: tableName, Key }))).Item;
};
/** Drains the outbox, whose only entry is `only`, as this release does. */
async function empty(only: OutboxEntry): Promise<void> {
  const { token, additions } = await mustClaim();
  const changes = { removed: [only], added: [], records: [] };
  await store.release(target, { token, additions, remaining: [] }, { changes });
}
const mustClaim = async () => {
  const claimed = await claim();
  if (claimed === null) throw new Error("The target was not claimed");
  return claimed;
};
const dueTargets = (at = clock.now()) => dynamoDueTargets(tables.client, tableName).due(at, 10);
const keys = async (wanted: Parameters<typeof store.entries>[1]) =>
  (await store.entries(target, wanted)).map(({ key }) => key);

describe("adding to an outbox", () => {
  it("stores the entries, and makes the delivery target due when its earliest entry is due", async () => {
    await store.add(target, [entry("b", { dueAt: later, lane: "later" }), entry("a")]);

    expect(await dueTargets()).toEqual([target]);
    expect(await store.entries(target, { lane: "first", by: null, limit: 10 })).toEqual([
      entry("a"),
    ]);
  });

  it("stores an entry only once if the same entry is added twice", async () => {
    await store.add(target, [entry("a")]);
    await store.add(target, [entry("a")]);

    expect(await keys({ lane: "first", by: null, limit: 10 })).toEqual(["a"]);
  });

  it("adds nothing to the outboxes of other accounts and endpoints", async () => {
    await store.add(target, [entry("a")]);

    for (const other of [
      { ...target, accountId: "acct_2" },
      { ...target, targetId: "we_2" },
    ]) {
      expect(await store.entries(other, { lane: "first", by: null, limit: 10 })).toEqual([]);
      expect(await claim(other)).toBeNull();
    }
  });
});

describe("the entries of an outbox", () => {
  it("are returned for both lanes together up to a limit, entries of the lane 'first' before the others", async () => {
    const earlier = "2026-11-20T09:59:00.000Z";
    await store.add(target, [
      entry("b"),
      entry("a", { lane: "later", dueAt: earlier }),
      entry("c", { dueAt: later }),
    ]);

    const all = async (limit: number) =>
      (await store.all(target, limit)).map(({ lane, key }) => `${lane} ${key}`);
    expect(await all(10)).toEqual(["first b", "first c", "later a"]);
    expect(await all(2)).toEqual(["first b", "first c"]);
  });

  it("are returned for one lane in order of their due times, up to and including a given time", async () => {
    const times = ["10:00:01", "10:00:00", "10:00:02"].map((time) => `2026-11-20T${time}.000Z`);
    await store.add(
      target,
      times.flatMap((dueAt) => [
        entry(`f${dueAt.slice(17, 19)}`, { dueAt }),
        entry(`l${dueAt.slice(17, 19)}`, { dueAt, lane: "later" }),
      ]),
    );

    const by = new Date("2026-11-20T10:00:01.000Z");
    expect(await keys({ lane: "first", by, limit: 10 })).toEqual(["f00", "f01"]);
    expect(await keys({ lane: "later", by, limit: 10 })).toEqual(["l00", "l01"]);
    expect(await keys({ lane: "later", by: null, limit: 10 })).toEqual(["l00", "l01", "l02"]);
    expect(await keys({ lane: "later", by: null, limit: 1 })).toEqual(["l00"]);
  });
});

describe("the claim of an outbox", () => {
  it("gives the outbox to only one process until that process's lease ends", async () => {
    await store.add(target, [entry("a")]);
    expect(await claim()).not.toBeNull();
    expect(await claim()).toBeNull();

    clock.advance(59_999);
    expect(await claim()).toBeNull();
    clock.advance(1);
    expect(await claim()).not.toBeNull();
  });

  it("succeeds for exactly one of many concurrent processes", async () => {
    await store.add(target, [entry("a")]);
    const claims = await Promise.all(Array.from({ length: 12 }, () => claim()));

    expect(claims.filter((claimed) => claimed !== null)).toHaveLength(1);
  });

  it("is valid for its worker even if the response to the claim was lost", async () => {
    await store.add(target, [entry("a")]);
    const lease = newLease(clock.now(), random);

    expect(await store.claim(target, { lease, now: clock.now() })).not.toBeNull();
    expect(await store.claim(target, { lease, now: clock.now() })).not.toBeNull();
  });

  it("makes the delivery target due again when the lease of a crashed process ends", async () => {
    await store.add(target, [entry("a")]);
    await claim();

    expect(await dueTargets()).toEqual([]);
    clock.advance(60_000);
    expect(await dueTargets()).toEqual([target]);
  });
});

describe("an account with many delivery targets", () => {
  const targets = Array.from({ length: 6 }, (_, n) => ({ ...target, targetId: `we_${n}` }));

  beforeEach(() => putEndpointCount(targets.length));

  it("has at most four targets drained in parallel, and a fifth target only after one of them is released", async () => {
    for (const one of targets) await store.add(one, [entry("a")]);
    const claims = [];
    for (const one of targets) claims.push(await admitted(one));
    expect(claims.map((claimed) => claimed?.crowded)).toEqual([
      true,
      true,
      true,
      true,
      undefined,
      undefined,
    ]);
    expect(await store.waiting(target.accountId, clock.now())).toEqual(targets.slice(4));

    const [first] = claims;
    if (first == null) throw new Error("The target was not claimed");
    const { token, additions } = first;
    const [one = target] = targets;
    const changes = { removed: [entry("a")], added: [], records: [] };
    await store.record(one, { lease: first.lease, changes });
    await store.release(one, { token, additions, remaining: null });

    expect(await admitted(targets[4] ?? target)).toMatchObject({ crowded: true });
    expect(await admitted(targets[5] ?? target)).toBeNull();
    expect(await store.waiting(target.accountId, clock.now())).toEqual(targets.slice(5));
  });

  it("has at most four targets drained, even if many workers claim targets before they check their leases", async () => {
    const many = Array.from({ length: 11 }, (_, n) => ({ ...target, targetId: `we_${n}` }));
    for (const one of many) await store.add(one, [entry("a")]);
    const claims = await Promise.all(many.map((one) => claim(one)));
    const now = clock.now();

    const admissions = await Promise.all(
      claims.map((claimed, n) => {
        if (claimed === null) throw new Error("The target was not claimed");
        const { lease, due } = claimed;
        return store.admit(many[n] ?? target, { lease, now, due });
      }),
    );

    expect(admissions.filter((one) => one !== null)).toHaveLength(targetsAtOnceMax);
    expect(await store.waiting(target.accountId, now)).toHaveLength(many.length - targetsAtOnceMax);
  });

  it("keeps the order of its waiting targets if a worker claims the first of them while four others are drained", async () => {
    const busy = targets.slice(0, targetsAtOnceMax);
    const [first = target, second = target] = targets.slice(targetsAtOnceMax);
    for (const one of busy) await store.add(one, [entry("a")]);
    for (const one of busy) await admitted(one);
    await store.add(first, [entry("a")]);
    clock.advance(1_000);
    await store.add(second, [entry("a", { dueAt: clock.now().toISOString() })]);
    clock.advance(1_000);

    expect(await admitted(first)).toBeNull();
    expect(await store.waiting(target.accountId, clock.now())).toEqual([first, second]);
  });

  it("has a target due immediately if a worker claimed it early while four others were drained, even if an entry was added under the lease", async () => {
    const busy = targets.slice(0, targetsAtOnceMax);
    const last = targets.at(-1) ?? target;
    for (const one of busy) await store.add(one, [entry("a")]);
    for (const one of busy) await admitted(one);
    await store.add(last, [entry("later", { dueAt: later })]);
    const claimed = await claim(last);
    if (claimed === null) throw new Error("The target was not claimed");
    await store.add(last, [entry("a")]);

    const { lease, due } = claimed;
    expect(await store.admit(last, { lease, now: clock.now(), due })).toBeNull();
    expect(await store.waiting(target.accountId, clock.now())).toEqual([last]);
  });

  it("is not limited if it has at most two webhook endpoints", async () => {
    await putEndpointCount(2);
    for (const one of targets) await store.add(one, [entry("a")]);
    for (const one of targets) expect(await admitted(one)).toMatchObject({ crowded: false });
  });

  it("does not delay the drains of another account", async () => {
    for (const one of targets) await store.add(one, [entry("a")]);
    for (const one of targets) await admitted(one);
    const other = { ...target, accountId: "acct_2" };
    await store.add(other, [entry("a")]);

    expect(await admitted(other)).toMatchObject({ crowded: false });
  });
});

describe("the entries that a claim returns", () => {
  it("are the one entry of the outbox if a worker had emptied the outbox and this entry was then added alone", async () => {
    await store.add(target, [entry("a")]);
    expect((await mustClaim()).entries).toBeNull();
    clock.advance(60_000);
    await empty(entry("a"));
    await store.add(target, [entry("b")]);

    expect((await mustClaim()).entries).toEqual([entry("b")]);
  });

  it.each([
    ["another entry was added", () => store.add(target, [entry("c")])],
    ["a drain was requested", () => store.wake(target, clock.now())],
    ["a worker claimed the target and crashed", () => claim()],
  ])("are null if, after the addition of an entry, %s", async (_, happens) => {
    await store.add(target, [entry("a")]);
    await empty(entry("a"));
    await store.add(target, [entry("b")]);
    await happens();
    clock.advance(60_000);

    expect((await mustClaim()).entries).toBeNull();
  });

  it("are null if several entries were added together", async () => {
    await store.add(target, [entry("a")]);
    await empty(entry("a"));
    await store.add(target, [entry("b"), entry("c")]);

    expect((await mustClaim()).entries).toBeNull();
  });

  it("are null if a worker of the previous release drained the outbox and left a retry in it", async () => {
    await store.add(target, [entry("a")]);
    await empty(entry("a"));
    await store.add(target, [entry("b")]);
    const { lease } = await mustClaim();
    const retry = entry("b", { lane: "later", dueAt: later });
    await store.record(target, {
      lease,
      changes: { removed: [entry("b")], added: [retry], records: [] },
    });
    await tables.client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: deliveryKeys.outbox(target),
        UpdateExpression: "SET due_at = :at REMOVE lease, lease_until",
        ExpressionAttributeValues: { ":at": later },
      }),
    );
    clock.advance(5 * 60_000);

    expect((await mustClaim()).entries).toBeNull();
    expect(await store.all(target, 10)).toEqual([retry]);
  });

  it("have no copy in the row of the target after the outbox was emptied", async () => {
    await store.add(target, [entry("a")]);
    await empty(entry("a"));

    expect(await head()).toEqual({
      ...deliveryKeys.outbox(target),
      additions: 0,
      lease_until: "1970-01-01T00:00:00.000Z",
    });
  });
});

describe("recording changes in an outbox", () => {
  const changes = { removed: [entry("a")], added: [entry("b")], records: [{ id: "1", text: "x" }] };

  it("stores all changes of the entries and extends the lease", async () => {
    await store.add(target, [entry("a")]);
    const { token } = await mustClaim();
    const lease = { token, until: new Date("2026-11-20T10:30:00Z") };

    expect(await store.record(target, { lease, changes })).toBe(true);
    expect(await keys({ lane: "first", by: null, limit: 10 })).toEqual(["b"]);
    clock.advance(29 * 60_000);
    expect(await claim()).toBeNull();
  });

  it("stores nothing after another worker has claimed the target", async () => {
    await store.add(target, [entry("a")]);
    const { lease } = await mustClaim();
    clock.advance(60_000);
    await mustClaim();

    expect(await store.record(target, { lease, changes })).toBe(false);
    expect(await keys({ lane: "first", by: null, limit: 10 })).toEqual(["a"]);
  });

  it("stores the target's state for the next claim, but only while the worker has the lease", async () => {
    await store.add(target, [entry("a"), entry("c")]);
    const first = await mustClaim();
    expect(first.state).toBeUndefined();
    const stored = { failuresInRow: 2, lastError: null };
    await store.record(target, { lease: first.lease, changes, state: stored });
    await store.release(target, { ...first, remaining: null });

    const second = await mustClaim();
    expect(second.state).toEqual(stored);
    const late = { lease: first.lease, changes, state: { failuresInRow: 9 } };
    expect(await store.record(target, late)).toBe(false);
    await store.record(target, { lease: second.lease, changes });
    await store.release(target, { ...second, remaining: null });

    expect((await mustClaim()).state).toEqual(stored);
  });

  it("replaces the entry with the same key, and keeps only the last of two delivery records with the same ID", async () => {
    await store.add(target, [entry("a")]);
    const { lease } = await mustClaim();
    const replaced = entry("a", { content: { about: "more" } });
    const records = ["x", "y"].map((text) => ({ id: "1", text }));
    const change = { removed: [entry("a")], added: [replaced], records };

    expect(await store.record(target, { lease, changes: change })).toBe(true);
    expect(await store.entries(target, { lane: "first", by: null, limit: 10 })).toEqual([replaced]);
  });
});

describe("releasing an outbox", () => {
  it("removes the due time of the delivery target if no entry remains", async () => {
    await store.add(target, [entry("a")]);
    const { lease, token, additions } = await mustClaim();
    await store.record(target, {
      lease,
      changes: { removed: [entry("a")], added: [], records: [] },
    });

    expect(await store.release(target, { token, additions, remaining: null })).toEqual({
      outcome: "released",
      next: null,
    });
    expect(await dueTargets(always)).toEqual([]);
    expect(await claim()).toBeNull();
  });

  it("makes the delivery target due when its earliest entry in any lane is due", async () => {
    await store.add(target, [entry("a", { lane: "later", dueAt: later }), entry("b")]);
    const { lease, token, additions } = await mustClaim();
    await store.record(target, {
      lease,
      changes: { removed: [entry("b")], added: [], records: [] },
    });

    expect(await store.release(target, { token, additions, remaining: null })).toEqual({
      outcome: "released",
      next: new Date(later),
    });
    expect(await dueTargets(new Date(Date.parse(later) - 1))).toEqual([]);
    expect(await dueTargets(new Date(later))).toEqual([target]);
  });

  it("makes the delivery target due when the earliest of the given entries is due", async () => {
    const remaining = [entry("a", { lane: "later", dueAt: later })];
    await store.add(target, [...remaining, entry("b")]);
    const { lease, token, additions } = await mustClaim();
    await store.record(target, {
      lease,
      changes: { removed: [entry("b")], added: [], records: [] },
    });

    expect(await store.release(target, { token, additions, remaining })).toEqual({
      outcome: "released",
      next: new Date(later),
    });
    expect(await dueTargets(new Date(later))).toEqual([target]);
  });

  it.each([
    ["no remaining entries, so that the store reads them", null],
    ["the remaining entries", []],
  ])(
    "fails if entries were added since the claim and the caller passes %s",
    async (_, remaining) => {
      await store.add(target, [entry("a")]);
      const { token, additions } = await mustClaim();
      await store.add(target, [entry("b")]);

      const released = await store.release(target, { token, additions, remaining });
      expect(released).toEqual({ outcome: "more", additions: additions + 1 });
      expect(
        await store.release(target, { token, additions: additions + 1, remaining }),
      ).toMatchObject({
        outcome: "released",
      });
    },
  );

  it("fails if a drain of the target was requested since the claim", async () => {
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    await store.wake(target, clock.now());

    expect(await store.release(target, { token, additions, remaining: null })).toMatchObject({
      outcome: "more",
    });
  });

  it("is refused for a worker that does not have the lease", async () => {
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    clock.advance(60_000);
    await mustClaim();

    expect(await store.release(target, { token, additions, remaining: null })).toEqual({
      outcome: "lost",
    });
  });
});

describe("releasing an outbox together with the last changes of its lease holder", () => {
  const changes = { removed: [entry("a")], added: [], records: [{ id: "1", text: "x" }] };
  const logged = async () =>
    (
      await tables.client.send(
        new GetCommand({ TableName: tableName, Key: { pk: "acct_1#log", sk: "1" } }),
      )
    ).Item?.["text"] as unknown;

  it("stores the changes and the state, and releases the lease", async () => {
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    const held = { token, additions, remaining: [] };

    expect(await store.release(target, held, { changes, state: { failuresInRow: 1 } })).toEqual({
      outcome: "released",
      next: null,
    });
    expect(await store.all(target, 10)).toEqual([]);
    expect(await logged()).toBe("x");
    expect(await head()).toMatchObject({ target_state: { failuresInRow: 1 } });
  });

  it("stores nothing if entries were added since the claim", async () => {
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    await store.add(target, [entry("b")]);

    const held = { token, additions, remaining: [] };
    expect(await store.release(target, held, { changes })).toEqual({
      outcome: "more",
      additions: additions + 1,
    });
    expect(await keys({ lane: "first", by: null, limit: 10 })).toEqual(["a", "b"]);
    expect(await logged()).toBeUndefined();
  });

  it("stores nothing after another worker has claimed the target", async () => {
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    clock.advance(60_000);
    await mustClaim();

    const held = { token, additions, remaining: [] };
    expect(await store.release(target, held, { changes })).toEqual({ outcome: "lost" });
    expect(await keys({ lane: "first", by: null, limit: 10 })).toEqual(["a"]);
    expect(await logged()).toBeUndefined();
  });

  it("stores the other changes if the condition of one log record fails", async () => {
    const conditional = dynamoOutboxStore<LogRecord>(tables.client, {
      ...storeOptions(),
      recordWrite: (accountId, { id, text }) => ({
        Put: {
          TableName: tableName,
          Item: { pk: `${accountId}#log`, sk: id, text },
          ...(text === "refused" && { ConditionExpression: "attribute_exists(pk)" }),
        },
      }),
    });
    await store.add(target, [entry("a")]);
    const { token, additions } = await mustClaim();
    const records = [
      { id: "1", text: "x" },
      { id: "2", text: "refused" },
    ];

    const held = { token, additions, remaining: [] };
    expect(
      await conditional.release(target, held, { changes: { ...changes, records } }),
    ).toMatchObject({ outcome: "released" });
    expect(await logged()).toBe("x");
    expect(await store.all(target, 10)).toEqual([]);
  });
});

describe("many writers and workers of an outbox", () => {
  it("lose no entry and process no entry twice", async () => {
    const added: string[] = [];
    const worked: string[] = [];
    const adder = async (name: string): Promise<void> => {
      for (let n = 0; n < 12; n += 1) {
        added.push(`${name}${n}`);
        await store.add(target, [entry(`${name}${n}`)]);
      }
    };
    let open = true;
    const worker = async (): Promise<void> => {
      for (;;) {
        const claimed = await claim();
        if (claimed === null) {
          if (!open && (await dueTargets(always)).length === 0) return;
          await new Promise((resolve) => setTimeout(resolve, 1));
          continue;
        }
        const { lease, token } = claimed;
        let { additions } = claimed;
        for (;;) {
          const found = await store.entries(target, { lane: "first", by: null, limit: 5 });
          worked.push(...found.map(({ key }) => key));
          await store.record(target, {
            lease,
            changes: { removed: found, added: [], records: [] },
          });
          if (found.length > 0) continue;
          const released = await store.release(target, { token, additions, remaining: null });
          if (released.outcome !== "more") break;
          ({ additions } = released);
        }
      }
    };
    const workers = [worker(), worker(), worker()];
    await Promise.all(["a", "b", "c"].map(adder));
    open = false;
    await Promise.all(workers);

    expect(worked.sort()).toEqual(added.sort());
  });
});
