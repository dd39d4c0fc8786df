/**
 * A local world as a process of its own, whose run workers are processes of their own again. Tells
 * its parent when it is ready, when a run has been finished, and what the workers did when asked.
 */
import { type ChildProcess, fork } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SQSEvent } from "aws-lambda";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/account-store.ts";
import { documentClient } from "../../shared/aws/dynamo.ts";
import { systemChance, systemClock } from "../../shared/base/system.ts";
import type { Environment } from "../local/lambda-host.ts";
import type { Seed } from "../local/seed.ts";
import { startWorld } from "../local/world.ts";
import type { WorkerFigures } from "./runs-worker.ts";

/** The functions that a run passes through. */
const workerNames = ["run-starter", "run-step", "run-finisher"] as const;
type WorkerName = (typeof workerNames)[number];

export interface WorldFigures {
  readonly workers: Readonly<Record<WorkerName, WorkerFigures>>;
  /** At the SQS endpoint, without receives that came back empty. */
  readonly sqsRequests: number;
}

export type WorldRequest = "hold" | "release" | "take";

const credits = 10_000_000;
/** As Lambda sets it for a function of 512 MB. */
const heapMegabytes = 460;

interface Worker {
  invoke(event: SQSEvent): Promise<unknown>;
  take(): Promise<WorkerFigures>;
}

const workers = new Map<WorkerName, Worker>();
let sqsRequests = 0;
let gate = Promise.resolve();
let release = (): void => {};

const isWorkerName = (name: string): name is WorkerName =>
  workerNames.some((worker) => worker === name);

async function startWorker(name: WorkerName, environment: Environment): Promise<Worker> {
  const child: ChildProcess = fork(new URL("runs-worker.ts", import.meta.url).pathname, {
    env: {
      ...process.env,
      BENCH_WORKER: name,
      BENCH_ENVIRONMENT: JSON.stringify(environment),
    },
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
  });
  await once(child, "message");
  let asked = 0;
  let busy: Promise<unknown> = Promise.resolve();
  /** One after the other, so that one invocation's time is not another's. */
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
    take: () => ask() as Promise<WorkerFigures>,
  };
}

/** Hands the events of a run's worker to its process, and keeps the sweeper out of the figures. */
async function loadHandler(name: string): Promise<unknown> {
  if (name === "sweeper") return { createHandler: () => async () => {} };
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

const seed: Seed = async (_folder, host) => {
  const variables = host.byName("products").environment;
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: variables["ACCOUNTS_TABLE"] ?? "",
    ledger: variables["LEDGER_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, chance: systemChance };
  const account = await createAccount(
    { name: "Bench", email: "bench@example.com", signupCredits: credits },
    deps,
  );
  const { key } = await createApiKey({ account, name: "bench" }, deps);
  return { apiKey: key, demoApiKey: key };
};

/** An answer without messages is no longer than this. */
const emptyBytesMax = 32;

subscribe("http.server.response.finish", (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const [service, operation] = String(request.headers["x-amz-target"]).split(".");
  if (service !== "AmazonSQS") return;
  const isIdle =
    operation === "ReceiveMessage" && Number(response.getHeader("content-length")) <= emptyBytesMax;
  if (!isIdle) sqsRequests += 1;
});

async function take(): Promise<WorldFigures> {
  const figures = await Promise.all(
    workerNames.map(async (name) => [name, await workers.get(name)?.take()] as const),
  );
  const taken = sqsRequests;
  sqsRequests = 0;
  return {
    workers: Object.fromEntries(figures) as WorldFigures["workers"],
    sqsRequests: taken,
  };
}

const world = await startWorld({
  dir: process.env["LOCAL_DIR"] ?? "",
  port: 0,
  fresh: true,
  log: (line) => process.stderr.write(`${line}\n`),
  loadHandler,
  seed,
});
process.on("message", (request: WorldRequest) => {
  if (request === "hold") {
    ({ promise: gate, resolve: release } = Promise.withResolvers<void>());
  } else if (request === "release") release();
  else void take().then((figures) => process.send?.({ figures }));
});
process.once("disconnect", () => {
  void world.stop().then(() => process.exit(0));
});
process.send?.({ baseUrl: world.baseUrl, apiKey: world.apiKey });
