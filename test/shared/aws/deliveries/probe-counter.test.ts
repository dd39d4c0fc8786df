import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoProbeCounter } from "../../../../shared/aws/deliveries/probe-counter.ts";
import { checkTimes } from "../../../../shared/aws/exports/customer-bucket.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { ProbeCounter } from "../../../../shared/outgoing/probe-limit.ts";
import { exchangeTimes } from "../../../../shared/outgoing/guarded-connection.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const { max, seconds } = limits.probes;
const startMs = Date.parse("2026-11-20T10:00:00.000Z");
const at = (ms: number): Date => new Date(startMs + ms);

const tables = openTables();
let tableName: string;
let probes: ProbeCounter;
beforeEach(async () => {
  tableName = await tables.create();
  probes = dynamoProbeCounter(tables.client, { tableName });
});

describe("the counter of probes in DynamoDB", () => {
  it("refuses concurrent probes above the account's limit, and returns when the next probe is possible", async () => {
    const counted = await Promise.all(
      Array.from({ length: 4 * max }, () => probes.count("acct_1", at(0))),
    );

    expect(counted.filter((roomFromMs) => roomFromMs === null)).toHaveLength(max);
    expect(new Set(counted.filter((roomFromMs) => roomFromMs !== null))).toEqual(
      new Set([startMs + seconds * 1_000]),
    );
    expect(await probes.count("acct_2", at(0))).toBeNull();
  });

  it("admits at most the limit in any limit period, and exactly the limit if probes keep arriving", async () => {
    const admitted: number[] = [];
    for (let ms = 0; ms < 3 * seconds * 1_000; ms += 700) {
      if ((await probes.count("acct_1", at(ms))) === null) admitted.push(ms);
    }

    const inTimeFrom = (from: number): number =>
      admitted.filter((ms) => ms >= from && ms < from + seconds * 1_000).length;
    expect(Math.max(...admitted.map(inTimeFrom))).toBe(max);
    expect(admitted.length).toBe(3 * max);
  });

  it("has a limit period that is at least as long as the longest probe", () => {
    expect(seconds * 1_000).toBeGreaterThanOrEqual(exchangeTimes.totalMs);
    // A check of a store makes two requests: it writes an object, and then deletes it.
    expect(seconds * 1_000).toBeGreaterThanOrEqual(2 * checkTimes.totalMs);
  });

  it("throws the error of DynamoDB, and admits no probe, if DynamoDB cannot count the probe", async () => {
    const throttled = Object.assign(new Error("throttled"), { name: "ThrottlingException" });
    const client = watchedClient(tables.client, async (command, send) => {
      if (command instanceof UpdateCommand) throw throttled;
      return send();
    });

    await expect(dynamoProbeCounter(client, { tableName }).count("acct_1", at(0))).rejects.toBe(
      throttled,
    );
  });
});
