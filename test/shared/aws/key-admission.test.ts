import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Admission } from "../../../shared/accounts/account-store.ts";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/account-store.ts";
import { dynamoApiKeyStore } from "../../../shared/aws/api-key-store.ts";
import { keyAdmission } from "../../../shared/aws/key-admission.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import { startTables, type TestTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";

let tables: TestTables;
let table: string;
let ledger: string;
let key: { readonly hash: string; readonly id: string; readonly accountId: string };
beforeAll(async () => {
  tables = await startTables();
  table = await tables.create();
  ledger = await tables.create();
});
afterAll(() => tables.stop());
beforeEach(async () => {
  const accounts = dynamoAccountStore(tables.client, { accounts: table, ledger });
  const deps = { accounts, clock: systemClock, chance: systemChance };
  const account = await createAccount({ name: "Test", email: "t@example.com" }, deps);
  const made = await createApiKey({ account, name: "server" }, deps);
  key = { hash: hashApiKey(made.key), id: made.id, accountId: account.id };
});

const startMs = Date.parse("2026-03-01T12:00:00Z");
const at = (ms: number): Date => new Date(startMs + ms);
const process = (): ReturnType<typeof keyAdmission> => keyAdmission(tables.client, table);

describe("the request rate", () => {
  /** Calls every 5 ms, as several processes make them: some at the same time, and out of order. */
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

  it("is never over 50 in any one-second window, and 47 or more a second, at 200 offered", async () => {
    const seconds = 6;
    const admitted = await offer(seconds);

    const windows = admitted.map((from) =>
      admitted.filter((ms) => ms >= from && ms < from + 1_000),
    );
    expect(Math.max(...windows.map((window) => window.length))).toBeLessThanOrEqual(50);
    expect(admitted.length / seconds).toBeGreaterThanOrEqual(47);
  });

  it("counts a call that comes late with those that came before it", async () => {
    const [one, other] = [process(), process()];
    for (let n = 0; n < 49; n += 1) await one(key.hash, at(55));
    expect(await other(key.hash, at(45))).toMatchObject({ outcome: "admitted" });

    const afterwards = await Promise.all(
      Array.from({ length: 10 }, () => other(key.hash, at(1_050))),
    );
    expect(afterwards.map(({ outcome }) => outcome)).not.toContain("admitted");
    expect(await other(key.hash, at(1_100))).toMatchObject({ outcome: "admitted" });
  });

  it("of one key leaves another alone", async () => {
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
        chance: systemChance,
      },
    );
    expect(await admit(hashApiKey(other.key), at(1))).toMatchObject({ outcome: "admitted" });
  });
});

describe("one call", () => {
  it("costs one request when the process knows the key, and finds its owner", async () => {
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

  it("of an unknown key is refused, of a revoked one from the next call on", async () => {
    const admit = process();
    expect(await admit("0".repeat(64), at(0))).toEqual({ outcome: "unknown" });
    await admit(key.hash, at(0));
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await admit(key.hash, at(2))).toEqual({ outcome: "unknown" });
    expect(await process()(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });
});

describe("while the database fails", () => {
  const failing = new Set<unknown>();
  const refusals = {
    throttles: { name: "ProvisionedThroughputExceededException" },
    "does not answer": { name: "TimeoutError" },
    "cannot be reached": { code: "ECONNREFUSED" },
  };
  let refusal: object = refusals.throttles;
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
    refusal = refusals.throttles;
  });

  it("a key that can be read is let in, and its calls are counted in the process", async () => {
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
    "a key that the process has seen is let in when the database %s",
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

  it("no more than 50 calls of a key are let in within a second", async () => {
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

  it("a key that it neither knows nor can read is not let in, and has its rate", async () => {
    failing.add(UpdateCommand).add(GetCommand);
    const admit = admitFailing();
    expect(await admit(key.hash, at(0))).toMatchObject({
      outcome: "unreadable",
      rate: { limit: 50, remaining: 49 },
      error: { name: "ProvisionedThroughputExceededException" },
    });
    for (let n = 1; n < 50; n += 1) await admit(key.hash, at(n));
    expect(await admit(key.hash, at(50))).toMatchObject({ outcome: "limited" });
  });

  it("a key that was seen long ago is not let in: it may have been revoked", async () => {
    const admit = admitFailing();
    await admit(key.hash, at(0));
    failing.add(UpdateCommand).add(GetCommand);
    expect(await admit(key.hash, at(5 * 60_000))).toMatchObject({ outcome: "admitted" });
    expect(await admit(key.hash, at(5 * 60_000 + 1))).toMatchObject({ outcome: "unreadable" });
  });

  it("keys that are unknown or revoked are still refused", async () => {
    const admit = admitFailing();
    await admit(key.hash, at(0));
    failing.add(UpdateCommand);
    expect(await admit("0".repeat(64), at(1))).toEqual({ outcome: "unknown" });
    await dynamoApiKeyStore(tables.client, table).revoke(key.accountId, key.id, at(1));
    expect(await admit(key.hash, at(2))).toEqual({ outcome: "unknown" });
  });

  it("a mistake of the service's own is not taken for it", async () => {
    failing.add(UpdateCommand);
    refusal = { name: "ValidationException" };
    await expect(admitFailing()(key.hash, at(0))).rejects.toMatchObject(refusal);
  });
});
