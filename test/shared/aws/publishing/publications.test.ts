import { beforeEach, describe, expect, it } from "vitest";
import { dynamoEventFeed } from "../../../../shared/aws/deliveries/event-feed.ts";
import { dynamoOutboxStore } from "../../../../shared/aws/deliveries/outbox-store.ts";
import { smallArchives } from "../../../../shared/aws/deliveries/small-archives.ts";
import { dynamoExportStore } from "../../../../shared/aws/exports/export-store.ts";
import { dynamoPublications } from "../../../../shared/aws/publishing/publications.ts";
import type { FeedRun } from "../../../../shared/events/event-feed.ts";
import { exportOf, firstEntry } from "../../../../shared/exports/export-entries.ts";
import { newLease } from "../../../../shared/outbox/lease.ts";
import { destinationTarget, endpointTarget } from "../../../../shared/outbox/outbox.ts";
import type { Publication } from "../../../../shared/publishing/publications.ts";
import { runEntry } from "../../../../shared/webhooks/outbox-entries.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const accountId = "acct_1";
const createdAt = "2026-11-20T10:00:00.000Z";
const endpoint = endpointTarget(accountId, "we_1");
const destination = destinationTarget(accountId);
const random = countingRandom();
const tables = openTables();
let clock: ReturnType<typeof fixedClock>;
let tableName: string;
let sent: string[];
let client: typeof tables.client;
beforeEach(async () => {
  tableName = await tables.create();
  clock = fixedClock("2026-11-20T10:00:01.000Z");
  sent = [];
  client = watchedClient(tables.client, (command, send) => {
    sent.push(command.constructor.name);
    return send();
  });
});

const options = () => ({ tableName, clock, random });
const publications = () => dynamoPublications(client, options());
const feed = () => dynamoEventFeed(tables.client, options());
const outbox = () =>
  dynamoOutboxStore<never>(tables.client, {
    ...options(),
    recordWrite: () => expect.unreachable("no test writes a log"),
  });
const exports = () => dynamoExportStore(tables.client, tableName);

const runOf = (runId: string): FeedRun => ({
  runId,
  watchlistId: "wl_1",
  webhookEndpointId: null,
  createdAt,
  types: ["watchlist.run.completed"],
});

function publicationOf(runId: string): Publication {
  const exported = { runId, watchlistId: "wl_1", runNumber: 7, createdAt };
  return {
    accountId,
    run: runOf(runId),
    small: { index: Buffer.from("index"), lines: Buffer.from("lines") },
    additions: [
      {
        target: endpoint,
        entry: runEntry({ runId, watchlistId: "wl_1", types: null, happenedAt: createdAt }),
      },
      { target: destination, entry: firstEntry(exported) },
    ],
    exported: { ...exportOf(exported), compression: "gzip", destinationRevision: "r1" },
  };
}

const publish = async (runId: string): Promise<void> =>
  publications().add(publicationOf(runId), await publications().position(accountId));
const keysOf = async (target = endpoint) => (await outbox().all(target, 10)).map(({ key }) => key);
const runsInFeed = async () =>
  (await feed().after(accountId, 0, 20)).map(({ sequence, runId }) => `${sequence} ${runId}`);

describe("the publication of a run", () => {
  it("adds the run, its archive, its export and its outbox entries in one transaction", async () => {
    await publish("wlrun_1");

    expect(sent).toEqual(["GetCommand", "TransactWriteCommand"]);
    expect(await runsInFeed()).toEqual(["1 wlrun_1"]);
    expect(await keysOf()).toEqual(["run#wlrun_1"]);
    expect(await keysOf(destination)).toEqual(["export#wlrun_1"]);
    const { exported } = publicationOf("wlrun_1");
    expect(await exports().get(accountId, exported?.id ?? "")).toEqual(exported);
    const small = await smallArchives(tables.client, tableName)({ accountId, runId: "wlrun_1" });
    expect(Buffer.from(small?.lines ?? []).toString()).toBe("lines");
  });

  it("changes nothing if it is repeated after its outbox entries were removed", async () => {
    await publish("wlrun_1");
    const lease = newLease(clock.now(), random);
    const claimed = await outbox().claim(endpoint, { lease, now: clock.now() });
    const [entry] = await outbox().all(endpoint, 1);
    if (claimed === null || entry === undefined) throw new Error("The run has no entry");
    const changes = { removed: [entry], added: [], records: [] };
    await outbox().release(
      endpoint,
      { token: lease.token, additions: claimed.additions, remaining: [] },
      { changes },
    );
    await publish("wlrun_1");

    expect(await runsInFeed()).toEqual(["1 wlrun_1"]);
    expect(await keysOf()).toEqual([]);
  });

  it("needs a second transaction if another run was added after it read the position of the feed", async () => {
    const position = await publications().position(accountId);
    await publish("wlrun_1");
    sent = [];
    await publications().add(publicationOf("wlrun_2"), position);

    expect(sent).toEqual(["TransactWriteCommand", "TransactWriteCommand"]);
    expect(await runsInFeed()).toEqual(["1 wlrun_1", "2 wlrun_2"]);
    expect(await keysOf()).toEqual(["run#wlrun_1", "run#wlrun_2"]);
  });

  it("is repeated if DynamoDB throttles its transaction", async () => {
    let isThrottled = true;
    client = watchedClient(tables.client, (command, send) => {
      if (command.constructor.name !== "TransactWriteCommand" || !isThrottled) return send();
      isThrottled = false;
      return Promise.reject(Object.assign(new Error("throttled"), { name: "ThrottlingException" }));
    });
    await publish("wlrun_1");

    expect(isThrottled).toBe(false);
    expect(await runsInFeed()).toEqual(["1 wlrun_1"]);
  });

  it("gives ten concurrent runs successive numbers in the feed", async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `wlrun_${n}`);
    await Promise.all(ids.map(publish));

    const found = await runsInFeed();
    expect(found.map((one) => Number(one.split(" ")[0]))).toEqual(ids.map((_, n) => n + 1));
    expect(new Set(found.map((one) => one.split(" ")[1]))).toEqual(new Set(ids));
    expect(await keysOf()).toHaveLength(10);
  });

  it("adds the outbox entries of a run that the previous release had only added to the feed", async () => {
    await feed().append(accountId, runOf("wlrun_1"));
    await publish("wlrun_1");

    expect(await runsInFeed()).toEqual(["1 wlrun_1"]);
    expect(await keysOf()).toEqual(["run#wlrun_1"]);
    expect(await keysOf(destination)).toEqual(["export#wlrun_1"]);
  });

  it("adds no outbox entries if it is repeated with delivery targets that the first attempt did not have", async () => {
    const none = { ...publicationOf("wlrun_1"), small: null, additions: [], exported: null };
    await publications().add(none, await publications().position(accountId));
    await publish("wlrun_1");

    expect(await keysOf()).toEqual([]);
  });
});
