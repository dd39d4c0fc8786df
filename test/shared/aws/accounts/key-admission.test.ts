import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Admission } from "../../../../shared/accounts/account-store.ts";
import { hashApiKey } from "../../../../shared/accounts/api-key.ts";
import { createAccount, createApiKey } from "../../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../../../shared/aws/accounts/api-key-store.ts";
import { keyAdmission } from "../../../../shared/aws/accounts/key-admission.ts";
import { toStoredMs } from "../../../../shared/aws/accounts/key-row.ts";
import { accountKeys } from "../../../../shared/aws/table/table.ts";
import { limits } from "../../../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const tables = openTables();
let table: string;
let key: { readonly hash: string; readonly id: string; readonly accountId: string };
beforeAll(async () => {
  table = await tables.create();
});
beforeEach(async () => {
  const accounts = dynamoAccountStore(tables.client, { accounts: table });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const account = await createAccount({ name: "Test", email: "t@example.com" }, deps);
  const made = await createApiKey({ account, name: "server" }, deps);
  key = { hash: hashApiKey(made.key), id: made.id, accountId: account.id };
});

const startMs = Date.parse("2026-03-01T12:00:00Z");
const at = (ms: number): Date => new Date(startMs + ms);
const process = (): ReturnType<typeof keyAdmission> => keyAdmission(tables.client, table);

/** Returns a random source whose numbers depend only on the seed. */
function fractions(seed = 1): { fraction(): number } {
  let state = seed;
  return {
    fraction() {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
  };
}

/** Returns a process that counts its requests to DynamoDB. */
function meteredProcess(seed = 1) {
  const sent = { requests: 0, writeUnits: 0 };
  const client = watchedClient(tables.client, async (command, send) => {
    sent.requests += 1;
    if (!(command instanceof UpdateCommand)) return send();
    try {
      const answer = await tables.client.send(
        new UpdateCommand({ ...command.input, ReturnConsumedCapacity: "TOTAL" }),
      );
      sent.writeUnits += answer.ConsumedCapacity?.CapacityUnits ?? 0;
      return answer;
    } catch (error) {
      // DynamoDB also charges for a refused write, by the size of the row. Another test checks that
      // the row costs one unit.
      sent.writeUnits += 1;
      throw error;
    }
  });
  return { admit: keyAdmission(client, table, fractions(seed)), sent };
}

const rowOf = async (hash: string): Promise<Record<string, unknown>> => {
  const command = new GetCommand({
    TableName: table,
    Key: accountKeys.keyHash(hash),
    ConsistentRead: true,
  });
  return (await tables.client.send(command)).Item ?? {};
};

const mostInASecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((ms) => ms >= from && ms < from + 1_000).length));

describe("the rate limit of an API key", () => {
  /**
   * Makes 200 calls for each of `seconds` seconds. Their times are 5 ms apart, and partly out of
   * order. Returns the times of the admitted calls in milliseconds, ascending.
   */
  async function offer(seconds: number): Promise<number[]> {
    const processes = Array.from({ length: 4 }, process);
    const admitted: number[] = [];
    const times = Array.from({ length: seconds * 200 }, (_, n) => n * 5);
    for (let from = 0; from < times.length; from += 16) {
      const together = times.slice(from, from + 16).toReversed();
      const answers = await Promise.all(
        together.map((ms, n) => (processes[n % processes.length] ?? process())(key.hash, at(ms))),
      );
      for (const [n, answer] of answers.entries()) {
        if (answer.outcome === "admitted") admitted.push(together[n] ?? 0);
      }
    }
    return admitted.sort((a, b) => a - b);
  }

  it("admits at most 50 calls in any second, and at least 47 when 200 calls a second arrive", async () => {
    const seconds = 6;
    const admitted = await offer(seconds);

    expect(mostInASecond(admitted)).toBeLessThanOrEqual(50);
    expect(admitted.length / seconds).toBeGreaterThanOrEqual(47);
  });

  it("costs one write unit for an admitted call, and less than a tenth of a write unit for a refused call", async () => {
    const processes = Array.from({ length: 20 }, (_, n) => meteredProcess(n + 1));
    const random = fractions(99);
    const admitted: number[] = [];
    const [seconds, attempts] = [8, 1_000];
    for (let n = 0; n < seconds * attempts; n += 1) {
      const one = processes[Math.floor(random.fraction() * processes.length)] ?? meteredProcess();
      const ms = (n * 1_000) / attempts;
      if ((await one.admit(key.hash, at(ms))).outcome === "admitted") admitted.push(ms);
    }
    const units = processes.reduce((sum, { sent }) => sum + sent.writeUnits, 0);

    expect(mostInASecond(admitted)).toBeLessThanOrEqual(50);
    expect(admitted.length / seconds).toBeGreaterThanOrEqual(47);
    const refused = seconds * attempts - admitted.length;
    expect((units - admitted.length) / refused).toBeLessThan(0.1);
  });

  it("costs one request and one write unit for each call below the limit", async () => {
    const one = meteredProcess();
    for (let n = 0; n < 120; n += 1) {
      const admission = await one.admit(key.hash, at(n * 25));
      expect(admission.outcome).toBe("admitted");
    }
    expect(one.sent).toEqual({ requests: 120, writeUnits: 120 });
  });

  it("admits a call whose time is earlier than the call times that other processes have stored", async () => {
    const [one, other] = [process(), process()];
    await one(key.hash, at(100));
    expect(await other(key.hash, at(0))).toMatchObject({
      outcome: "admitted",
      rate: { remaining: 48 },
    });
    expect(await other(key.hash, at(60))).toMatchObject({ outcome: "admitted" });
    const times = (await rowOf(key.hash))["admitted_ms"];
    expect(times).toEqual([
      ...Array<number>(47).fill(0),
      ...Array<number>(3).fill(toStoredMs(startMs + 100)),
    ]);
  });

  it("counts a call with an earlier time together with the calls that are already stored", async () => {
    const [one, other] = [process(), process()];
    for (let n = 0; n < 49; n += 1) await one(key.hash, at(55));
    expect(await other(key.hash, at(45))).toMatchObject({ outcome: "admitted" });

    const afterwards = await Promise.all(
      Array.from({ length: 10 }, () => other(key.hash, at(1_050))),
    );
    expect(afterwards.map(({ outcome }) => outcome)).not.toContain("admitted");
    expect(await other(key.hash, at(1_100))).toMatchObject({ outcome: "admitted" });
  });

  it("counts no calls of other keys", async () => {
    const admit = process();
    for (let n = 0; n < 50; n += 1) await admit(key.hash, at(0));
    expect(await admit(key.hash, at(1))).toMatchObject({
      outcome: "limited",
      rate: { limit: 50, remaining: 0 },
    });
    const other = await createApiKey(
      { account: { id: key.accountId, demo: false }, name: "other" },
      {
        accounts: dynamoAccountStore(tables.client, { accounts: table }),
        clock: systemClock,
        random: systemRandom,
      },
    );
    expect(await admit(hashApiKey(other.key), at(1))).toMatchObject({ outcome: "admitted" });
  });
});

describe("a process whose call the rate limit refused", () => {
  it("refuses further calls without a request to DynamoDB until the oldest admitted call is a second old", async () => {
    const { admit, sent } = meteredProcess();
    for (let n = 0; n < 50; n += 1) await admit(key.hash, at(n));
    const requests = sent.requests;
    for (const ms of [50, 500, 1_019]) {
      expect((await admit(key.hash, at(ms))).outcome).toBe("limited");
    }
    expect(sent.requests).toBe(requests);
    expect((await admit(key.hash, at(1_020))).outcome).toBe("admitted");
  });

  it("waits longer before its next request to DynamoDB after each refusal in a row, but at most two seconds", async () => {
    const [other, one] = [process(), meteredProcess()];
    let [ms, refusals] = [0, 0];
    const askedAt: number[] = [];
    while (refusals < 12) {
      // The other process uses every admission that the window allows.
      while ((await other(key.hash, at(ms))).outcome === "admitted");
      const requests = one.sent.requests;
      const { outcome } = await one.admit(key.hash, at(ms));
      if (one.sent.requests > requests) {
        expect(outcome).toBe("limited");
        askedAt.push(ms);
        refusals += 1;
      }
      ms += 20;
    }
    const pauses = askedAt.slice(1).map((time, n) => time - (askedAt[n] ?? 0));
    expect(Math.max(...pauses)).toBeGreaterThan(1_400);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_020 + 2_000 + 20);
  });

  it("returns to the client the time at which the next call is possible", async () => {
    const [one, other] = [process(), process()];
    for (let n = 0; n < 50; n += 1) await one(key.hash, at(300 + n));
    for (const admit of [one, other]) {
      expect(await admit(key.hash, at(400))).toEqual({
        outcome: "limited",
        rate: { limit: 50, remaining: 0, resetSeconds: startMs / 1_000 + 2 },
        retryAfterSeconds: 1,
      });
    }
  });

  it("reads the key's row again within seconds if another process, whose clock is ahead, stored future times", async () => {
    const admit = process();
    const dayMs = 86_400_000;
    for (let n = 0; n < 50; n += 1) await process()(key.hash, at(dayMs));
    expect((await admit(key.hash, at(0))).outcome).toBe("limited");
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await admit(key.hash, at(5_000))).toEqual({ outcome: "unknown" });
  });
});

describe("an API key whose row DynamoDB throttles", () => {
  const throttles = ["ProvisionedThroughputExceededException", "ThrottlingException"];

  it.each(throttles)(
    "is refused for a second, without another request to DynamoDB, after DynamoDB's error %s",
    async (name) => {
      let isThrottled = false;
      let requests = 0;
      const client = watchedClient(tables.client, async (command, send) => {
        requests += 1;
        if (isThrottled && command instanceof UpdateCommand) {
          throw Object.assign(new Error("no"), { name });
        }
        return send();
      });
      const admit = keyAdmission(client, table, { fraction: () => 0 });
      await admit(key.hash, at(0));
      isThrottled = true;
      const limited = {
        outcome: "limited",
        rate: { limit: 50, remaining: 0 },
        retryAfterSeconds: 1,
      };
      expect(await admit(key.hash, at(1))).toMatchObject({ ...limited, throttled: true });
      isThrottled = false;
      const sent = requests;
      expect(await admit(key.hash, at(1_000))).toMatchObject(limited);
      expect(requests).toBe(sent);
      expect(await admit(key.hash, at(1_001))).toMatchObject({
        outcome: "admitted",
        rate: { remaining: 48 },
      });
    },
  );
});

describe("an API key that a process has not cached, while DynamoDB throttles writes to its row,", () => {
  const throttledProcess = (reads: "answer" | "fail") =>
    keyAdmission(
      watchedClient(tables.client, async (command, send) => {
        if (reads === "answer" && command instanceof GetCommand) return send();
        throw Object.assign(new Error("no"), { name: "ThrottlingException" });
      }),
      table,
    );

  it("is refused as unknown if a read shows that it does not exist or was revoked", async () => {
    expect(await throttledProcess("answer")("0".repeat(64), at(0))).toEqual({ outcome: "unknown" });
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await throttledProcess("answer")(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });

  it("is refused as unreadable if DynamoDB also throttles reads of the row", async () => {
    expect(await throttledProcess("fail")(key.hash, at(0))).toMatchObject({
      outcome: "unreadable",
      rate: { limit: 50, remaining: 0 },
    });
  });
});

describe("the row of an API key", () => {
  /** Returns the size of a value by the rules of DynamoDB's documentation. */
  function bytesOf(value: unknown): number {
    if (typeof value === "string") return Buffer.byteLength(value);
    if (typeof value === "boolean") return 1;
    if (typeof value === "number") {
      return Math.ceil(String(value).replace(/0+$/, "").length / 2) + 1;
    }
    if (!Array.isArray(value)) throw new TypeError("The row has a value of another kind");
    return value.reduce<number>((sum, one) => sum + 1 + bytesOf(one), 3);
  }
  const sizeOf = (row: object): number =>
    Object.entries(row).reduce((sum, [name, value]) => sum + bytesOf(name) + bytesOf(value), 0);

  it("fits into one write unit until the year 2051, even with a name of the maximum length", async () => {
    const account = { id: key.accountId, demo: false };
    const accounts = dynamoAccountStore(tables.client, { accounts: table });
    const made = await createApiKey(
      {
        account,
        name: "🔑".repeat(limits.apiKeyNameLengthMax),
        scopes: ["spend", "write"],
      },
      { accounts, clock: systemClock, random: systemRandom },
    );
    const hash = hashApiKey(made.key);
    const { admit, sent } = meteredProcess();
    for (let n = 0; n < 60; n += 1) {
      await admit(hash, new Date(Date.parse("2050-12-31T23:59:00.001Z") + n * 1_111));
    }
    expect(sent).toEqual({ requests: 60, writeUnits: 60 });
    const row = await rowOf(hash);
    expect(row["admitted_ms"]).toHaveLength(50);
    expect(sizeOf(row)).toBeLessThan(1_024);
  });

  /**
   * Stores the row of the previous release: a total, and the total after each of 64 intervals of 50
   * ms.
   */
  async function storeAsPreviousRelease(): Promise<void> {
    const { admitted_ms: _times, ...row } = await rowOf(key.hash);
    const ring = Array.from({ length: 64 }, (_, slot) => ({
      [`ring_bucket_${slot}`]: Math.floor(startMs / 50) - 64 + slot,
      [`ring_admitted_${slot}`]: 40 + slot,
    }));
    const counts = {
      admitted: 103,
      last_admitted_ms: startMs - 1,
      created_at: at(0).toISOString(),
    };
    await tables.client.send(
      new PutCommand({ TableName: table, Item: Object.assign({}, row, counts, ...ring) }),
    );
  }

  it("from the previous release is converted by the key's first call, and the call is admitted", async () => {
    await storeAsPreviousRelease();
    expect(await process()(key.hash, at(0))).toMatchObject({
      outcome: "admitted",
      owner: { accountId: key.accountId, keyId: key.id, keyName: "server" },
      rate: { limit: 50, remaining: 49 },
    });
    expect(Object.keys(await rowOf(key.hash)).toSorted()).toEqual(
      "account_id admitted_ms demo key_id name pk prefix sk".split(" "),
    );
  });

  it("from the previous release admits at most 50 calls in a second while many processes convert it", async () => {
    await storeAsPreviousRelease();
    const answers = await Promise.all(Array.from({ length: 60 }, () => process()(key.hash, at(0))));
    const admitted = answers.filter(({ outcome }) => outcome === "admitted");
    expect(admitted).toHaveLength(50);
  });

  it("from the previous release refuses a call if the key is revoked", async () => {
    await storeAsPreviousRelease();
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await process()(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });

  it("that the previous release wrote keeps the time of the key's last call", async () => {
    await storeAsPreviousRelease();
    const store = dynamoApiKeyStore(tables.client, table);
    expect(await store.list(key.accountId)).toMatchObject([{ lastUsedAt: at(-1).toISOString() }]);
  });
});

describe("the admission of a call by its API key", () => {
  it("makes one request to DynamoDB if the process has cached the key, and returns the owner of the key", async () => {
    const sent: unknown[] = [];
    const client = watchedClient(tables.client, (command, send) => {
      sent.push(command.constructor);
      return send();
    });
    const admit = keyAdmission(client, table);
    await admit(key.hash, at(0));
    sent.length = 0;

    expect(await admit(key.hash, at(10))).toMatchObject({
      outcome: "admitted",
      owner: { accountId: key.accountId, keyId: key.id, keyName: "server", demo: false },
      rate: { limit: 50, remaining: 48 },
    });
    expect(sent).toEqual([UpdateCommand]);
  });

  it("refuses an unknown key, and refuses a revoked key from the first call after the revocation", async () => {
    const admit = process();
    expect(await admit("0".repeat(64), at(0))).toEqual({ outcome: "unknown" });
    await admit(key.hash, at(0));
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await admit(key.hash, at(2))).toEqual({ outcome: "unknown" });
    expect(await process()(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });
});

describe("while DynamoDB fails,", () => {
  const failing = new Set<unknown>();
  const refusals = {
    "does not respond": { name: "TimeoutError" },
    "cannot be reached": { code: "ECONNREFUSED" },
  };
  let refusal: object = refusals["does not respond"];
  const admitFailing = (): ((hash: string, now: Date) => Promise<Admission>) =>
    keyAdmission(
      watchedClient(tables.client, async (command, send) => {
        if (!failing.has(command.constructor)) return send();
        throw Object.assign(new Error("no"), refusal);
      }),
      table,
    );
  beforeEach(() => {
    failing.clear();
    refusal = refusals["does not respond"];
  });

  it("a key whose row can still be read is admitted, and the process counts the calls with this key", async () => {
    failing.add(UpdateCommand);
    const admit = admitFailing();
    expect(await admit(key.hash, at(0))).toMatchObject({
      outcome: "admitted",
      owner: { keyId: key.id },
      rate: { limit: 50, remaining: 49 },
      countedHere: true,
    });
    expect(await admit(key.hash, at(1))).toMatchObject({ rate: { remaining: 48 } });
  });

  it.each(Object.entries(refusals))(
    "a key that the process has cached is admitted without any response from the store: DynamoDB %s",
    async (_, how) => {
      const admit = admitFailing();
      await admit(key.hash, at(0));
      refusal = how;
      failing.add(UpdateCommand).add(GetCommand);
      expect(await admit(key.hash, at(1))).toMatchObject({
        outcome: "admitted",
        owner: { keyId: key.id },
        countedHere: true,
      });
    },
  );

  it("at most 50 calls of a key are admitted within a second", async () => {
    const admit = admitFailing();
    const outcomes: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      if (n === 20) failing.add(UpdateCommand).add(GetCommand);
      outcomes.push((await admit(key.hash, at(n))).outcome);
    }
    expect(outcomes.filter((outcome) => outcome === "admitted")).toHaveLength(50);
    expect(await admit(key.hash, at(60))).toMatchObject({
      outcome: "limited",
      rate: { limit: 50, remaining: 0 },
    });
    expect(await admit(key.hash, at(1_200))).toMatchObject({ outcome: "admitted" });
  });

  it("a call whose key is neither cached nor readable is refused, and counts toward the rate limit", async () => {
    failing.add(UpdateCommand).add(GetCommand);
    const admit = admitFailing();
    expect(await admit(key.hash, at(0))).toMatchObject({
      outcome: "unreadable",
      rate: { limit: 50, remaining: 49 },
      error: { name: "TimeoutError" },
    });
    for (let n = 1; n < 50; n += 1) await admit(key.hash, at(n));
    expect(await admit(key.hash, at(50))).toMatchObject({ outcome: "limited" });
  });

  it("a key is not admitted if the process cached its row more than five minutes ago and cannot read the row", async () => {
    const admit = admitFailing();
    await admit(key.hash, at(0));
    failing.add(UpdateCommand).add(GetCommand);
    expect(await admit(key.hash, at(5 * 60_000))).toMatchObject({ outcome: "admitted" });
    expect(await admit(key.hash, at(5 * 60_000 + 1))).toMatchObject({ outcome: "unreadable" });
  });

  it("unknown and revoked keys are refused if their rows can still be read", async () => {
    const admit = admitFailing();
    await admit(key.hash, at(0));
    failing.add(UpdateCommand);
    expect(await admit("0".repeat(64), at(1))).toEqual({ outcome: "unknown" });
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await admit(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });

  it("a call fails with the error of DynamoDB if DynamoDB rejects the request as invalid", async () => {
    failing.add(UpdateCommand);
    refusal = { name: "ValidationException" };
    await expect(admitFailing()(key.hash, at(0))).rejects.toMatchObject(refusal);
  });
});
