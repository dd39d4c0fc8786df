/**
 * Runs a local world in a separate process, with each run worker in another process. Sends messages
 * to its parent when it is ready and when a run has ended, and returns on request which resources
 * were used.
 */
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SQSEvent } from "aws-lambda";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { customerBucket } from "../../tools/local/buckets.ts";
import type { Environment } from "../../tools/local/lambda-host.ts";
import type { Seed } from "../../tools/local/seed.ts";
import { startWorld } from "../../tools/local/world.ts";
import { bundledScript, startBundled } from "./lambda-process.ts";
import type { WorkerCounts } from "./runs-worker.ts";
import { workerMegabytes } from "./worker-memory.ts";

/** The functions behind the queues, and the sweeper, which runs only when the bench calls it. */
const workerNames = ["run-starter", "run-step", "run-finisher", "delivery", "sweeper"] as const;
export type WorkerName = (typeof workerNames)[number];

/** The requests that the emulators received and that AWS would bill. */
export interface WorldRequests {
  /** Requests to SQS, without receives that returned no message. */
  readonly sqsRequests: number;
  /** Requests to the service's buckets that write or list. */
  readonly s3Puts: number;
  /** Read requests to the service's S3 buckets. */
  readonly s3Gets: number;
  readonly kmsRequests: number;
  /** The bytes of the bodies that the webhook receiver received. */
  readonly webhookBytes: number;
}

/** The resources that a local world and its workers have used. */
export interface WorldCounts extends WorldRequests {
  readonly workers: Readonly<Record<WorkerName, WorkerCounts>>;
}

/** The addresses and keys that the parent process needs. */
export interface WorldReady {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly receiverUrl: string;
  readonly customerBucket: { readonly endpoint: string; readonly name: string };
  readonly tables: readonly string[];
  readonly eventsBucket: string;
}

/**
 * A request of the parent process. `hold` makes the run workers wait until `release`, `sweep` runs
 * one pass of the sweeper, and `take` returns the resources that were used since the previous
 * `take`.
 */
export type WorldRequest = "hold" | "release" | "sweep" | "take";

const credits = 10_000_000;

interface Worker {
  invoke(event: SQSEvent): Promise<unknown>;
  take(): Promise<WorkerCounts>;
}

const workers = new Map<WorkerName, Worker>();
const noRequests: WorldRequests = {
  sqsRequests: 0,
  s3Puts: 0,
  s3Gets: 0,
  kmsRequests: 0,
  webhookBytes: 0,
};
let requests = noRequests;
let gate = Promise.resolve();
let release = (): void => {};

const isWorkerName = (name: string): name is WorkerName =>
  workerNames.some((worker) => worker === name);

/** Returns the memory of a worker in megabytes. The bench of runs may set that of the step worker. */
function megabytesOf(name: WorkerName): number {
  const step = process.env["BENCH_STEP_MEGABYTES"];
  return name === "run-step" && step !== undefined ? Number(step) : workerMegabytes[name];
}

async function startWorker(name: WorkerName, environment: Environment): Promise<Worker> {
  const variables = {
    BENCH_HANDLER: bundledScript(new URL(`../../functions/${name}/handler.ts`, import.meta.url)),
    BENCH_ENVIRONMENT: JSON.stringify(environment),
  };
  const script = new URL("runs-worker.ts", import.meta.url);
  const child = startBundled(script, variables, megabytesOf(name));
  await once(child, "message");
  let asked = 0;
  let busy: Promise<unknown> = Promise.resolve();
  /**
   * Sends `event` to the worker, or a request for the worker's counts if `event` is undefined.
   * Resolves to the worker's result. Sends one message at a time, so that the measured times do not
   * overlap.
   */
  const ask = (event?: SQSEvent): Promise<unknown> => {
    busy = busy.then(async () => {
      asked += 1;
      child.send({ id: asked, event });
      const [answer] = (await once(child, "message")) as [{ result: unknown }];
      return answer.result;
    });
    return busy;
  };
  return {
    invoke: (event) => ask(event),
    take: () => ask() as Promise<WorkerCounts>,
  };
}

let sweeperEnvironment: Environment = {};

/** Runs one pass of the sweeper. The first pass starts the sweeper's process. */
async function sweep(): Promise<void> {
  const sweeper = workers.get("sweeper") ?? (await startWorker("sweeper", sweeperEnvironment));
  workers.set("sweeper", sweeper);
  await sweeper.invoke({ Records: [] });
}

/**
 * Returns a handler that forwards the events of a worker to the process of this worker. The
 * sweeper's scheduled events are ignored.
 */
async function loadHandler(name: string): Promise<unknown> {
  if (name === "sweeper") {
    return {
      createHandler: (environment: Environment) => {
        sweeperEnvironment = environment;
        return async () => {};
      },
    };
  }
  if (!isWorkerName(name)) {
    return import(new URL(`../../functions/${name}/handler.ts`, import.meta.url).href);
  }
  return {
    createHandler: (environment: Environment) => {
      const started = startWorker(name, environment).then((worker) => workers.set(name, worker));
      return async (event: SQSEvent) => {
        await started;
        await gate;
        const result = await workers.get(name)?.invoke(event);
        if (name === "run-finisher") process.send?.({ finished: true });
        return result;
      };
    },
  };
}

const seed: Seed = async (_folder, variablesOf) => {
  const variables = variablesOf("products");
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: variables["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const account = await createAccount(
    { name: "Bench", email: "bench@example.com", signupCredits: credits },
    deps,
  );
  const { key } = await createApiKey({ account, name: "bench" }, deps);
  return { apiKey: key, demoApiKey: key };
};

/** An SQS response of at most this number of bytes contains no message. */
const emptyBytesMax = 32;

subscribe("http.server.response.finish", (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const counted = billedAs(request, response);
  if (counted !== undefined) requests = { ...requests, [counted]: requests[counted] + 1 };
  if (request.headers["service-signature"] !== undefined) {
    const bytes = Number(request.headers["content-length"]);
    requests = { ...requests, webhookBytes: requests.webhookBytes + bytes };
  }
});

type Billed = Exclude<keyof WorldRequests, "webhookBytes">;

function billedAs(request: IncomingMessage, response: ServerResponse): Billed | undefined {
  const { authorization = "" } = request.headers;
  const [, service] = /\/([a-z0-9]+)\/aws4_request/.exec(authorization) ?? [];
  if (service === "kms") return "kmsRequests";
  if (service === "s3") return bucketRequest(request);
  return service === "sqs" && !isIdle(request, response) ? "sqsRequests" : undefined;
}

/**
 * Returns how a request to a bucket is billed. Returns undefined for a deletion, which is free, and
 * for a request to the customer's bucket, which the customer pays.
 */
function bucketRequest({ method, url = "" }: IncomingMessage): Billed | undefined {
  if (method === "DELETE" || url.startsWith(`/${customerBucket}`)) return undefined;
  const isRead = method === "HEAD" || (method === "GET" && !url.includes("list-type"));
  return isRead ? "s3Gets" : "s3Puts";
}

const isIdle = ({ headers }: IncomingMessage, response: ServerResponse): boolean =>
  String(headers["x-amz-target"]).endsWith(".ReceiveMessage") &&
  Number(response.getHeader("content-length")) <= emptyBytesMax;

const idle: WorkerCounts = {
  invocations: 0,
  cpuMs: 0,
  handlerMs: 0,
  requests: 0,
  requestsOutside: 0,
  peakMegabytes: 0,
};

async function take(): Promise<WorldCounts> {
  const counts = await Promise.all(
    workerNames.map(async (name) => [name, (await workers.get(name)?.take()) ?? idle] as const),
  );
  const taken = requests;
  requests = noRequests;
  return { workers: Object.fromEntries(counts) as WorldCounts["workers"], ...taken };
}

const world = await startWorld({
  dir: process.env["LOCAL_DIR"] ?? "",
  port: 0,
  fresh: true,
  // Received webhooks are not printed, because there are too many of them.
  log: (line) => line.startsWith("webhook ") || process.stderr.write(`${line}\n`),
  loadHandler,
  seed,
});
process.on("message", (request: WorldRequest) => {
  if (request === "hold") {
    ({ promise: gate, resolve: release } = Promise.withResolvers<void>());
  } else if (request === "release") release();
  else if (request === "sweep") void sweep().then(() => process.send?.({ finished: true }));
  else void take().then((counts) => process.send?.({ counts }));
});
process.once("disconnect", () => {
  void world.stop().then(() => process.exit(0));
});
const finisher = world.environmentOf("run-finisher");
const ready: WorldReady = {
  baseUrl: world.baseUrl,
  apiKey: world.apiKey,
  receiverUrl: world.receiverUrl,
  customerBucket: { endpoint: world.bucketEndpoint, name: world.customerBucket },
  tables: [
    ...new Set(
      Object.entries({ ...world.environmentOf("run-step"), ...finisher })
        .filter(([name]) => name.endsWith("_TABLE"))
        .map(([, table]) => table),
    ),
  ],
  eventsBucket: finisher["EVENTS_BUCKET"] ?? "",
};
process.send?.(ready);
