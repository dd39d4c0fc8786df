import { S3Client } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";
import { s3EventBodies } from "../../shared/aws/deliveries/event-bodies.ts";
import { dynamoEventFeed } from "../../shared/aws/deliveries/event-feed.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { EventBodies } from "../../shared/events/event-archive.ts";
import type { EventFeed } from "../../shared/events/event-feed.ts";
import { archiveRun } from "../../shared/events/event-archive.ts";
import {
  runEventId,
  type RunEvents,
  type RunEventType,
  serializeEvent,
} from "../../shared/events/event.ts";
import { openTables } from "./tables.ts";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };

/**
 * Starts an S3 server. The returned `create` creates a bucket with a new name and returns the name.
 */
export async function startEventBuckets() {
  const fauxqs = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${fauxqs.port}`;
  const s3 = new S3Client({ endpoint, region: "us-east-1", credentials, forcePathStyle: true });
  let made = 0;
  return {
    s3,
    create(): string {
      made += 1;
      fauxqs.createBucket(`events-${made}`);
      return `events-${made}`;
    },
    async stop() {
      s3.destroy();
      await fauxqs.stop();
    },
  };
}

/**
 * Starts tables and an S3 server. The returned `open` creates worlds, each with a separate event
 * feed and archive.
 */
export async function startEventWorld() {
  const tables = openTables();
  const buckets = await startEventBuckets();
  return {
    client: tables.client,
    async open(patience: { clock: Clock; random: RandomSource }) {
      const tableName = await tables.create();
      const bucket = buckets.create();
      const bodies = s3EventBodies(buckets.s3, bucket);
      const feed = dynamoEventFeed(tables.client, { ...patience, tableName });
      const world = { tableName, client: tables.client, bucket, s3: buckets.s3, bodies, feed };
      return { ...world, publish: (run: RunEvents) => publishTo(world, run) };
    },
    async stop() {
      await buckets.stop();
    },
  };
}

export type EventWorld = Awaited<ReturnType<Awaited<ReturnType<typeof startEventWorld>>["open"]>>;

/**
 * Archives the events of a run, and then appends the run to the feed, in the order of the
 * publisher.
 */
async function publishTo(
  { bodies, feed }: { bodies: EventBodies; feed: EventFeed },
  run: RunEvents,
): Promise<void> {
  await archiveRun(run, bodies);
  const { accountId, runId, watchlistId, webhookEndpointId, events } = run;
  const types = [...new Set(events.map(({ type }) => type))];
  const createdAt = events[0]?.createdAt ?? "";
  await feed.append(accountId, { runId, watchlistId, webhookEndpointId, createdAt, types });
}

/** The properties of a run that `runOf` builds. */
export interface MadeRun {
  readonly accountId?: string;
  readonly watchlistId?: string;
  readonly runId?: string;
  readonly endedAt?: string;
  /** Returns the text in the body of an event. `part` counts from 1. */
  readonly text?: (type: RunEventType, part: number) => string;
}

/**
 * Builds a run with the given number of events of each type, in this order, followed by its
 * completed event.
 */
export function runOf(
  counts: { readonly [Type in RunEventType]?: number },
  {
    accountId = "acct_1",
    watchlistId = "wl_1",
    runId = "wlrun_1",
    endedAt = "2026-11-20T10:00:00.000Z",
    text = (type, part) => `${type} ${part} of ${runId}, caf\u00e9 \u2603`,
  }: MadeRun = {},
): RunEvents {
  const wanted = { ...counts, "watchlist.run.completed": 1 };
  const events = Object.entries(wanted).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => {
      const type = name as RunEventType;
      const id = runEventId({ runId, endedAt }, type, n + 1);
      const data = {
        watchlist_id: watchlistId,
        run_id: runId,
        part: n + 1,
        text: text(type, n + 1),
      };
      return serializeEvent({ id, type, created_at: endedAt, data }, 2);
    }),
  );
  return {
    accountId,
    watchlistId,
    runId,
    runNumber: 7,
    runStartedAt: "2026-11-20T09:59:00.000Z",
    webhookEndpointId: null,
    events,
  };
}
