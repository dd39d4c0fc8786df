import type { Context } from "aws-lambda";
import type { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SchedulerClient } from "@aws-sdk/client-scheduler";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { createHandler as createPlatforms } from "../../../functions/platforms/handler.ts";
import type { Overrides } from "../../../functions/composition/overrides.ts";
import { createHandler as createStructured } from "../../../functions/structured/handler.ts";
import { grantCredits, purchasePack } from "../../../shared/accounts/change-credits.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import type { PackId } from "../../../shared/accounts/credit-packs.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoCreditChanges } from "../../../shared/aws/ledger/credit-changes.ts";
import { tableSchema } from "../../../shared/base/table-schema.ts";
import type { BucketOutcome, CustomerBuckets } from "../../../shared/exports/customer-bucket.ts";
import type { Sender } from "../../../shared/outgoing/sender.ts";
import { countingRandom } from "../../support/clock.ts";
import { type ApiAnswer, type ApiRequest, apiAnswer, apiEvent, groupOf } from "../api.ts";
import { seededFaults } from "../faults.ts";
import {
  createLambda,
  type LambdaHandler,
  type LambdaName,
  timeoutSeconds,
  workers,
} from "../lambdas.ts";
import { seededRandom } from "../random.ts";
import type { TaskScheduler } from "../task-scheduler.ts";
import { type QueueName, virtualQueues } from "../virtual-queues.ts";
import { virtualScheduler } from "../virtual-scheduler.ts";
import { virtualBucket, virtualKey } from "../virtual-stores.ts";
import { start } from "../world.ts";
import type { Stage } from "../stage.ts";
import { sourcesByRule } from "./shows.ts";

/** A webhook request that the service sent. */
export interface SentWebhook {
  readonly url: string;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
}

/** A tick that the service received from the scheduler, or from the creation of a watchlist. */
export interface Tick {
  readonly watchlistId: string;
  readonly scheduledTime: number;
}

export type Service = Awaited<ReturnType<typeof openService>>;

let opened = 0;

type Virtual = (operation: string, input: Readonly<Record<string, unknown>>) => unknown;

/**
 * Opens the whole service without faults. Its clock advances only in `call`, `burst` and `pass`.
 */
export async function openService(stage: Stage, credits: number) {
  opened += 1;
  let now = start.getTime();
  const clock = { now: () => new Date(now), sleep: async () => {} };
  // Services of one process must not create the same IDs, because functions cache data by ID.
  const randomSource = countingRandom(opened);
  const random = seededRandom(1, "api model");
  // The queues and the scheduler use nothing of the task scheduler except its clock.
  const tasks = { now: () => now, note: () => {} } as unknown as TaskScheduler;
  const faults = seededFaults(random, { profile: "store", calm: true });
  const queues = virtualQueues(tasks, faults, random);
  const scheduler = virtualScheduler({ tasks, faults, random }, queues);
  const [secretKey, bodies] = [virtualKey(), virtualBucket()];
  const sent: SentWebhook[] = [];
  const buckets = new Map<string, Map<string, Buffer>>();
  const overrides: Overrides = {
    clock,
    random: randomSource,
    clients: {
      dynamo: stage.client,
      sqs: clientOf((operation, input) => queues.service(operation, input)) as SQSClient,
      scheduler: clientOf((operation, input) =>
        scheduler.service(operation, input),
      ) as SchedulerClient,
      kms: clientOf((operation, input) => secretKey.service(operation, input)) as KMSClient,
      s3: clientOf((operation, input) => bodies.service(operation, input)) as S3Client,
    },
    sources: sourcesByRule(clock),
    sender: senderTo(sent, () => now),
    buckets: bucketsIn(buckets),
    resolver: { resolve: async () => ["8.8.8.8"] },
    roles: { assume: async () => ({ outcome: "failed", reason: "AccessDenied" }) },
  };
  const handlers = new Map<string, LambdaHandler>();
  const handlerOf = (name: string): LambdaHandler => {
    const known = handlers.get(name);
    if (known !== undefined) return known;
    const made = handlerNamed(name, stage.table, overrides);
    handlers.set(name, made);
    return made;
  };
  let invoked = 0;
  const invoke = (name: string, event: unknown): Promise<unknown> => {
    invoked += 1;
    const context = {
      awsRequestId: `invocation-${invoked}`,
      functionName: name,
      getRemainingTimeInMillis: () => (timeoutSeconds[name as LambdaName] ?? 29) * 1_000,
    } as Context;
    return handlerOf(name)(event, context);
  };

  /**
   * Handles one message. Handles the messages of a run before those of the next run. Returns false
   * if there are none.
   */
  const workOne = async (onTick: (tick: Tick) => void): Promise<boolean> => {
    const ready = queues.ready();
    const queue = drained.find((name) => ready.includes(name));
    if (queue === undefined) return false;
    const [message] = queues.take(queue, { most: 1, visibilityMs: 60_000, holder: "model" });
    if (message === undefined) return false;
    const content = JSON.parse(message.body) as Readonly<Record<string, string>>;
    if (queue === "runs" && content["type"] === "due") {
      const { watchlist_id: watchlistId = "", scheduled_time: at = "" } = content;
      onTick({ watchlistId, scheduledTime: Date.parse(at) });
    }
    const record = {
      messageId: message.id,
      body: message.body,
      attributes: { ApproximateReceiveCount: "1", SentTimestamp: `${message.sentAt}` },
    };
    const answer = (await invoke(workers[queue].name, { Records: [record] })) as {
      readonly batchItemFailures: readonly unknown[];
    };
    if (answer.batchItemFailures.length > 0) {
      throw new Error(`The consumer of ${queue} failed without faults for ${message.body}`);
    }
    queues.done(message, "model");
    return true;
  };
  const work = async (onTick: (tick: Tick) => void): Promise<void> => {
    while (await workOne(onTick));
  };
  const nextDueAt = async (): Promise<number> => {
    const { dueIndex } = tableSchema;
    const { Items = [] } = await stage.client.send(
      new ScanCommand({ TableName: stage.table, IndexName: dueIndex.name }),
    );
    const due = Items.filter((row) => String(row[dueIndex.partitionKey]).startsWith("outbox"));
    return Math.min(...due.map((row) => Date.parse(String(row[dueIndex.sortKey]))), Infinity);
  };

  const accounts = dynamoAccountStore(stage.client, {
    accounts: stage.table,
  });
  const changes = dynamoCreditChanges(stage.client, {
    accountsTable: stage.table,
    ledgerTable: stage.table,
    clock,
    random: randomSource,
  });
  const account = await createAccount(
    { name: "model", email: "model@example.com", signupCredits: credits },
    { accounts, clock, random: randomSource },
  );
  const key = await createApiKey(
    { account, name: "first" },
    { accounts, clock, random: randomSource },
  );
  const demo = await createAccount(
    { name: "demo", email: "demo@example.com", demo: true },
    { accounts, clock, random: randomSource },
  );
  const demoKey = await createApiKey(
    { account: demo, name: "demo" },
    { accounts, clock, random: randomSource },
  );
  let changed = 0;
  return {
    account,
    key,
    /** The API key of the demo workspace. */
    demoKey: demoKey.key,
    sent,
    buckets,
    now: () => now,
    /** Calls the API 100 ms after the previous call, through the function that serves the route. */
    async call(request: ApiRequest): Promise<ApiAnswer> {
      now += callMs;
      return apiAnswer(await invoke(groupOf(request), apiEvent(request)));
    },
    /**
     * Makes `count` calls at the same time. No other calls are made for two seconds before and
     * after.
     */
    async burst(request: ApiRequest, count: number): Promise<readonly ApiAnswer[]> {
      now += restMs;
      const answers: ApiAnswer[] = [];
      while (answers.length < count) {
        answers.push(apiAnswer(await invoke(groupOf(request), apiEvent(request))));
      }
      now += restMs;
      return answers;
    },
    work,
    /** Advances the clock. Work that becomes due is handled at its due time. */
    async pass(milliseconds: number, onTick: (tick: Tick) => void): Promise<void> {
      const end = now + milliseconds;
      for (;;) {
        const dueAt = await nextDueAt();
        const next = Math.min(
          scheduler.nextAt() ?? Infinity,
          queues.nextVisibleAt() ?? Infinity,
          dueAt,
        );
        if (next > end) break;
        now = Math.max(now, next);
        if (scheduler.isDue()) scheduler.tick();
        if (dueAt <= now) await invoke("sweeper", {});
        await work(onTick);
        if ((await nextDueAt()) <= now) now += sweepMs;
      }
      now = Math.max(now, end);
    },
    /** Adds credits to the account as an operator would. */
    async addCredits(how: { readonly pack: PackId } | { readonly grant: number }): Promise<void> {
      changed += 1;
      const target = { accountId: account.id, changeId: `change-${changed}` };
      if ("pack" in how) await purchasePack({ ...target, packId: how.pack }, { changes, clock });
      else await grantCredits({ ...target, credits: how.grant }, { changes, clock });
    },
    scheduled: (): readonly string[] => scheduler.names(),
  };
}

/** Milliseconds between calls. They keep the rate below the limit of a key. */
const callMs = 100;
const restMs = 2_000;
const sweepMs = 60_000;
/** The queues in the order in which they are drained. */
const drained: readonly QueueName[] = ["deliveries", "finishes", "steps", "runs"];

/** Creates a fake SDK client that has only the methods that the service uses. */
const clientOf = (service: Virtual): unknown => ({
  send: async ({ input, constructor }: { input: object; constructor: { name: string } }) =>
    service(constructor.name.replace(/Command$/, ""), input as Readonly<Record<string, unknown>>),
});

function handlerNamed(name: string, table: string, overrides: Overrides): LambdaHandler {
  const environment = { STAGE: "dev", ACCOUNTS_TABLE: table } as never;
  if (name === "platforms") return createPlatforms(environment, overrides) as LambdaHandler;
  if (name === "structured") return createStructured(environment, overrides) as LambdaHandler;
  return createLambda(name as LambdaName, table, overrides);
}

/**
 * Returns the status with which a receiver responds, by its host name. `flaky` rejects only the
 * first attempt.
 */
export function statusOf(url: string, attempt: number): number {
  const { hostname } = new URL(url);
  if (hostname.startsWith("down")) return 500;
  // A 410 would disable the endpoint. The scenario `deliveries` covers that.
  if (hostname.startsWith("gone")) return 404;
  if (hostname.startsWith("flaky")) return attempt === 1 ? 503 : 200;
  return 200;
}

const senderTo = (sent: SentWebhook[], now: () => number): Sender => ({
  connect: (url) => ({
    async send({ headers, body }) {
      const status = statusOf(url, Number(headers["Service-Attempt"]));
      const text = Buffer.from(body).toString();
      sent.push({ url, at: now(), headers: { ...headers }, body: text, status });
      return {
        outcome: "answered",
        status,
        retryAfter: null,
        body: Buffer.from(`answer ${status}`),
        durationMs: 3,
      };
    },
    close: () => {},
  }),
});

/** Creates fake buckets of customers. A bucket whose name starts with `denied` rejects writes. */
function bucketsIn(buckets: Map<string, Map<string, Buffer>>): CustomerBuckets {
  const made = (bucket: string, effect: (objects: Map<string, Buffer>) => void): BucketOutcome => {
    if (bucket.startsWith("denied")) return { outcome: "failed", reason: "AccessDenied" };
    const objects = buckets.get(bucket) ?? new Map<string, Buffer>();
    buckets.set(bucket, objects);
    effect(objects);
    return { outcome: "done" };
  };
  return {
    open: ({ bucket }) => ({
      put: async ({ key, bytes }) =>
        made(bucket, (objects) => void objects.set(key, Buffer.from(bytes))),
      find: async (key) => ({ outcome: buckets.get(bucket)?.has(key) ? "found" : "absent" }),
      delete: async (key) => made(bucket, (objects) => void objects.delete(key)),
      close: () => {},
    }),
  };
}
